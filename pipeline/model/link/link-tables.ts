import { period, state_code } from '../../contract/fields.ts';
import { real, text } from '../../lib/tables/table.ts';

export const SHIFT = {
  name: 'link/shift',
  row: '{A.state} in a month after its last survey whose scores are moved by case records (without a row, they follow the usual season alone)',
  columns: {
    state_code,
    period,
    basis: text<'cases' | 'nation'>(
      'cases: its own record; nation: carried over from the records of other {state.many}',
    ),
    deviation: real("ln cases minus the record's usual level, a linear trend with effects of calendar months"),
    deviation_sd: real('Standard deviation of the error of the deviation'),
    at_survey: real('The deviation during the last survey; 0 if unknown'),
    elasticity: real('Change in logit prevalence per unit of ln cases'),
    elasticity_sd: real('Standard deviation of the elasticity'),
    spread: real('Standard deviation of {state.one} changes that cases do not reflect, logit'),
  },
};

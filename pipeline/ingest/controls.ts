/** Figures printed elsewhere that a source must add up to. */
import { type Control, mayPassOnCases, type Source } from '../catalog/sources.ts';
import type { ReportLine } from '../engine/stage.ts';
import { InputLocation, readEach } from '../lib/bad-input.ts';

/** What a source has of its count, part by part. */
export interface Amount {
  /** Year or month; null if the source has no times. */
  period: string | null;
  /** Codes of the areas that it lies in. */
  codes: readonly string[];
  value: number;
}

/** @throws BadInput for each control that the amounts miss */
export function checkControls(source: Source, amounts: readonly Amount[], report: ReportLine[]): void {
  const location = new InputLocation('sources.json', `source ${source.id}, controls`);
  readEach(source.controls ?? [], (control) => {
    const { value, tolerance, source: printedSource } = control;
    const matching = amounts.filter((amount) => isPartOf(amount, control));
    const sum = matching.reduce((total, amount) => total + amount.value, 0);
    const scope = [control.area, control.period].filter(Boolean).join(', ') || 'in all';
    const expected = `${value.toLocaleString('en-US')} (${printedSource})`;
    if (matching.length === 0 || Math.abs(sum - value) > tolerance * value)
      throw location
        .at(scope)
        .error(
          matching.length === 0 ? 'nothing' : sum.toLocaleString('en-US'),
          `${expected}, within ${100 * tolerance}%`,
        );
    const difference = `${(100 * Math.abs(sum / value - 1)).toFixed(1)}% ${sum < value ? 'less' : 'more'} than`;
    const agreement = sum === value ? 'the same as' : difference;
    // The report prints this line, also where cases may not be passed on.
    const what = mayPassOnCases([source])
      ? `${scope}: ${sum.toLocaleString('en-US')} read, ${agreement} ${expected}`
      : `${scope}: ${agreement} in ${printedSource}`;
    report.push({ source: source.id, rule: 'control', what });
  });
}

const isPartOf = ({ period, codes }: Amount, control: Control) =>
  (control.period === undefined || period === null || period.startsWith(control.period)) &&
  (control.area == null || codes.includes(control.area));

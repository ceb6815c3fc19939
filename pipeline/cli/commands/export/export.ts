import { Command } from 'commander';
import { dhis2Command } from './dhis2.ts';

/** `malaria-risk export`. */
export default function exportCommand(): Command {
  return new Command('export').addCommand(dhis2Command());
}

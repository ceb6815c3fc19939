import { Command } from 'commander';
import { dhis2Command } from './dhis2.ts';

export default function exportCommand(): Command {
  return new Command('export').addCommand(dhis2Command());
}

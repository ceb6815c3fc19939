import { Command } from 'commander';
import { writeAtomic } from '../../lib/atomic-write.ts';
import { diffOutlines, diffSections } from '../../publish/report/diff-sections.ts';
import { diffSnapshots } from '../../publish/snapshot/diff.ts';
import { openSnapshot } from '../../publish/snapshot/open-snapshot.ts';
import { sectionsText } from '../terminal/blocks-text.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { parseFileToWrite, printLines } from '../terminal/options.ts';

const HELP = `
Compares scores area by area, for the months that both snapshots estimate and those that both forecast. A score has
moved if it changed by more than parameters.diff.score_change in B's model.json; the other thresholds there set what
--gate lets pass. If B has records of cases of months that A forecast, and they are still in the cache beside B, A's
forecasts are scored on them.

Exits with 0; with --gate, with 1 if a threshold is exceeded; with 2 if there is nothing to compare.

Examples:
  malaria-risk diff build/snapshots/nigeria-2026.1-64213e44 build/current
  malaria-risk diff OLD NEW --gate --json --html diff.html`;

export default function diffCommand(): Command {
  return new Command('diff')
    .description(
      'Show how a new snapshot differs from an old one: scores moved, levels changed, how good the forecasts were',
    )
    .argument('<a>', 'directory of the old snapshot')
    .argument('<b>', 'directory of the new one')
    .option('--gate', 'exit with 1 if more has changed than the thresholds allow')
    .option('--json', 'print everything as JSON, by state and month')
    .option('--html <file>', 'write a page with a map of the changes', parseFileToWrite)
    .addHelpText('after', HELP)
    .action(async (a: string, b: string, options: { gate?: boolean; json?: boolean; html?: string }) => {
      const [before, after] = [openSnapshot(a), openSnapshot(b)];
      const diff = await diffSnapshots(before, after);
      const outlines = diffOutlines(after);
      const parts = diffSections(diff, outlines);
      const [sections, details] = [parts.slice(0, 2), parts.slice(2)];
      if (options.html !== undefined) {
        const { renderChangesPage: changesPage } = await import('../../publish/report/changes-page.ts');
        const { a: oldVersion, b: newVersion, synthetic } = diff;
        const lead = `From ${oldVersion} to ${newVersion}.`;
        await writeAtomic(
          options.html,
          changesPage({ title: 'Changes in the new version', lead, synthetic, sections, details, diff, outlines }),
        );
      }
      printLines(...(options.json ? [JSON.stringify(diff, null, 2)] : sectionsText(parts)));
      if (options.gate && diff.over.length > 0) process.exitCode = EXIT.finding;
    });
}

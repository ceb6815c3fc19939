import { Command } from 'commander';
import { writeWhole } from '../engine/cache.ts';
import { UsageError } from '../errors.ts';
import { diffSnapshots } from '../publish/snapshot/diff.ts';
import { openSnapshot } from '../publish/snapshot/read.ts';
import { describeDiff } from './diff-text.ts';
import { say } from './options.ts';

const DETAIL = `
Scores are compared LGA by LGA, for the months that both snapshots estimate and those that both forecast. A score has
moved when it changed by more than parameters.diff.score_change of B's model.json; the other thresholds there say what
--gate lets pass. Where B estimates months that A forecast, A's forecasts are scored against those of them that B has a
survey or case records of that A had not: other months are the model's own carrying-on in both.

Exits 0, or 1 with --gate where a threshold is passed, 2 where there is nothing to compare.

Examples:
  malaria-risk diff build/snapshots/nigeria-2026.1-64213e44 build/current
  malaria-risk diff OLD NEW --gate --out diff.json --html diff.html`;

/** `malaria-risk diff`. */
export function diffCommand(): Command {
  return new Command('diff')
    .description(
      'Say what a new snapshot does to an old one: scores moved, levels flipped, how good the forecasts were',
    )
    .argument('<a>', 'directory of the old snapshot')
    .argument('<b>', 'directory of the new one')
    .option('--gate', 'exit 1 where more changed than the thresholds allow')
    .option('--json', 'all of it as JSON, by state and month')
    .option('--out <file>', 'write the JSON to a file too')
    .option('--html <file>', 'write a page with a map of the changes')
    .addHelpText('after', DETAIL)
    .action(async (a: string, b: string, options: { gate?: boolean; json?: boolean; out?: string; html?: string }) => {
      const [before, after] = [openSnapshot(a), openSnapshot(b)];
      const diff = await diffSnapshots(before, after);
      if (options.gate && !diff.thresholds)
        throw new UsageError(`${b}: found no parameters.diff in its model-card.json, expected thresholds to gate by`);
      const json = JSON.stringify(diff, null, 2);
      if (options.out !== undefined) writeWhole(options.out, `${json}\n`);
      if (options.html !== undefined) {
        const { renderDiffPage } = await import('../publish/report/diff-page.ts');
        const { outlinesOf } = await import('../publish/report/diff-maps.ts');
        writeWhole(options.html, renderDiffPage(diff, outlinesOf(after)));
      }
      say(options.json ? json : describeDiff(diff));
      if (options.gate && diff.over.length > 0) process.exitCode = 1;
    });
}

import { existsSync } from 'node:fs';
import { Command } from 'commander';
import { pruneEntries } from '../../engine/cache.ts';
import { runIfUnused } from '../../engine/lock.ts';
import { TryAgain, UsageError } from '../../lib/errors.ts';
import { cacheFolder } from '../../release/build-paths.ts';
import { clearUnfinished } from '../../release/candidate.ts';
import { outOption, printLines } from '../terminal/options.ts';

export default function pruneCommand(): Command {
  return new Command('prune')
    .description("Remove cache entries that no country's latest build used; snapshots are kept")
    .addOption(outOption())
    .option('--json', 'as JSON')
    .action(({ out, json }: { out: string; json?: boolean }) => {
      if (!existsSync(cacheFolder(out)))
        throw new UsageError(`${out}: found no cache there, expected the --out of a build`);
      const result: ReturnType<typeof pruneEntries>[] = [];
      const hasRun = runIfUnused(out, () => {
        clearUnfinished(out);
        result.push(pruneEntries(cacheFolder(out)));
      });
      if (!hasRun) throw new TryAgain(`${out}: a build is running there; prune when it is done`);
      const { entries, bytes, kept } = result[0]!;
      printLines(
        json
          ? JSON.stringify(result[0])
          : `Removed ${entries} entries, ${(bytes / 1e6).toFixed(1)} MB, from ${cacheFolder(out)}; kept ${kept}`,
      );
    });
}

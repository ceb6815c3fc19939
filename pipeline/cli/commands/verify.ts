import { realpathSync } from 'node:fs';
import { Command } from 'commander';
import { DAMAGED_ADVICE } from '../../contract/published.ts';
import { refuseBuildFolder } from '../../lib/build-folder.ts';
import { UsageError } from '../../lib/errors.ts';
import { verifySnapshot } from '../../publish/snapshot/verify.ts';
import { releaseIndexFaults } from '../../release/verify-release-index.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { printLines } from '../terminal/options.ts';

export default function verifyCommand(): Command {
  return new Command('verify')
    .argument('[snapshot]', 'directory of a snapshot', 'build/current')
    .description(
      'Check a snapshot offline: hashes, schemas, compressed copies, consistency across answers, and the release index beside it',
    )
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExits with 0 if nothing is wrong, 1 if something is, 2 if there is no snapshot.')
    .action(async (snapshot: string, options: { json?: boolean }) => {
      let directory: string;
      try {
        directory = realpathSync(snapshot);
      } catch {
        throw new UsageError(`${snapshot}: no snapshot there; build one with \`malaria-risk build --publish\``);
      }
      refuseBuildFolder(snapshot);
      const verdict = await verifySnapshot(directory);
      verdict.faults.push(...(await releaseIndexFaults(directory)));
      if (options.json) printLines(JSON.stringify(verdict, null, 2));
      else {
        for (const fault of verdict.faults) printLines(`fault: ${fault}`);
        if (verdict.unchecked) printLines(`not checked: ${verdict.unchecked}`);
        printLines(
          verdict.faults.length === 0
            ? `${verdict.model_version}: ${verdict.files} files, no faults; SHA-256 of manifest.json ${verdict.manifest_sha256}`
            : `${verdict.model_version ?? directory}: ${verdict.faults.length} faults; ${DAMAGED_ADVICE}`,
        );
      }
      if (verdict.faults.length > 0) process.exitCode = EXIT.finding;
    });
}

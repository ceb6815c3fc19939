import { Command } from 'commander';
import { UsageError } from '../errors.ts';
import { DEFAULT_OUT, hasSyntheticCountry, writeSyntheticCountry } from '../synthetic/country.ts';

const DETAIL = `
Writes a complete made-up country in the formats of a real one: 37 states and 774 LGAs, rasters of population,
elevation and layers, monthly rain, four survey rounds and monthly cases; a catalog (sources.json, model.json); and
truth/, with the values that the models should recover. The same seed gives the same bytes.

A made-up country that is already there is replaced entirely; any other directory is left alone and is an error.

Examples:
  malaria-risk synth                             seed 1, to ${DEFAULT_OUT}
  malaria-risk synth --seed 7 --out ../seven     another country, elsewhere
  malaria-risk build --country ${DEFAULT_OUT}   the next step`;

/** `malaria-risk synth`. Exits 2 on a bad seed or an `--out` that is not a made-up country. */
export function synthCommand(): Command {
  return new Command('synth')
    .description('Write a made-up country whose truth is known')
    .option('--seed <n>', 'seed of all random draws, a whole number from 0', '1')
    .option('--out <dir>', 'directory to write', DEFAULT_OUT)
    .option('--if-missing', 'do nothing if the complete country of this seed is already there')
    .option('--json', 'print what was written as JSON')
    .addHelpText('after', DETAIL)
    .action((options: { seed: string; out: string; ifMissing?: boolean; json?: boolean }) =>
      synth({ ...options, seed: parseSeed(options.seed) }),
    );
}

async function synth(options: { seed: number; out: string; ifMissing?: boolean; json?: boolean }): Promise<void> {
  const { seed, out, json } = options;
  if (options.ifMissing && hasSyntheticCountry(seed, out)) {
    print(json ? JSON.stringify({ out, seed, written: false }) : `${out} holds the country of seed ${seed} already`);
    return;
  }
  const onProgress = json ? () => {} : (part: string) => print(`making ${part}`);
  const written = await writeSyntheticCountry({ seed, out, onProgress });
  const { files, bytes, release } = written;
  print(
    json
      ? JSON.stringify({ ...written, seed, written: true })
      : `wrote ${files} files, ${(bytes / 1e6).toFixed(1)} MB, release ${release}, to ${written.out}`,
  );
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function parseSeed(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new UsageError(`--seed ${text}, expected a whole number of 0 or more`);
  return Number(text);
}

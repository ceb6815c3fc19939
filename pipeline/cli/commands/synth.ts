import { Command, InvalidArgumentError, Option } from 'commander';
import { DEFAULT_OUT, hasSyntheticCountry, writeSyntheticCountry } from '../../synthetic/country.ts';
import { FAMILIES, FAMILY_DESCRIPTIONS, type TruthFamily } from '../../synthetic/families.ts';
import { countrySize, NIGERIAN_SIZE } from '../../synthetic/size.ts';
import { parseAtLeastOne, printLines } from '../terminal/options.ts';

const HELP = `
Writes a complete made-up country in the formats of a real one: 37 states and 774 LGAs, rasters of population,
elevation and layers, monthly rain, four survey rounds and monthly cases; a catalog (sources.json, model.json); and
truth/, with the values that the models should recover. The same seed and family give the same bytes.

Families of truth, --truth:
${FAMILIES.map((family) => `  ${family.padEnd(14)} ${family === 'matern' ? '' : 'as matern, '}${FAMILY_DESCRIPTIONS[family]}`).join('\n')}

The size is Nigeria's unless options change it: --states, --lgas (by default in proportion to the states), and --months
of estimates and case records.

A made-up country that is already there is replaced entirely; any other directory is left alone and is an error.

Examples:
  malaria-risk synth                             seed 1, to ${DEFAULT_OUT}
  malaria-risk synth --seed 7 --out ../seven     another country, elsewhere
  malaria-risk synth --truth trend --out ../t    a truth that the risk model does not assume
  malaria-risk synth --states 5 --out ../small   a country of five states
  malaria-risk build --country ${DEFAULT_OUT}  the next step`;

interface SynthOptions {
  seed: number;
  states?: number;
  lgas?: number;
  months?: number;
  truth: TruthFamily;
  out: string;
  ifMissing?: boolean;
  json?: boolean;
}

/** `malaria-risk synth`. Exits with 2 for a bad seed, or if `--out` contains anything but a made-up country. */
export default function synthCommand(): Command {
  return new Command('synth')
    .description('Write a made-up country whose truth is known')
    .option('--seed <n>', 'seed of all random draws, a whole number of 0 or more', parseSeed, 1)
    .addOption(new Option('--truth <family>', 'family of the truth').choices(FAMILIES).default('matern'))
    .option('--states <n>', `states, up to ${NIGERIAN_SIZE.states} (the default)`, parseAtLeastOne)
    .option('--lgas <n>', 'LGAs', parseAtLeastOne)
    .option('--months <n>', `estimated months, 72 to 240, ${NIGERIAN_SIZE.months} unless given`, parseAtLeastOne)
    .option('--out <dir>', 'directory to write to', DEFAULT_OUT)
    .option('--if-missing', 'do nothing if the complete country of this seed and family is already there')
    .option('--json', 'print what was written as JSON')
    .addHelpText('after', HELP)
    .action(synth);
}

async function synth(options: SynthOptions): Promise<void> {
  const { seed, truth: family, out, json, states, lgas, months } = options;
  const requestedSize = Object.entries({ states, lgas, months }).filter(([, value]) => value !== undefined);
  const size = countrySize(Object.fromEntries(requestedSize));
  if (options.ifMissing && hasSyntheticCountry(seed, family, out, size)) {
    const text = `${out} already contains the country of seed ${seed}${family === 'matern' ? '' : `, truth ${family}`}`;
    printLines(json ? JSON.stringify({ out, seed, written: false }) : text);
    return;
  }
  const onProgress = json ? () => {} : (part: string) => printLines(`making ${part}`);
  const written = await writeSyntheticCountry({ seed, family, size, out, onProgress });
  const { files, bytes, release } = written;
  printLines(
    json
      ? JSON.stringify({ ...written, seed, written: true })
      : `wrote ${files} files, ${(bytes / 1e6).toFixed(1)} MB, release ${release}, to ${written.out}`,
  );
}

function parseSeed(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('expected a whole number of 0 or more');
}

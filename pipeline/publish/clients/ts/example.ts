/**
 * The ten LGAs of a state with the highest score in the latest estimated month, with their ranges.
 *
 *     MALARIA_KEY=… node example.ts http://127.0.0.1:8080 KN
 */
import { createClient } from './malaria-risk.ts';

const [base = 'http://127.0.0.1:8080', state = 'KN'] = process.argv.slice(2);
const get = createClient({ base, key: process.env.MALARIA_KEY ?? '', retries: 1 });

const { period, lgas } = await get('/v1/risk/lgas', { state });
for (const { lga_code, lga, score, score_low, score_high, level } of lgas.slice(0, 10))
  process.stdout.write(`${period} ${lga_code} ${lga}: ${score} (${score_low}-${score_high}), ${level}\n`);

import { expect, test } from 'vitest';
import { openLog } from '../../proxy/log.ts';

const turn = () => new Promise(setImmediate);

test('lines of one turn go out together; those for a reader that hangs are lost, and told of', async () => {
  const written: string[] = [];
  const output = { writableLength: 0, write: (text: string) => written.push(text) };
  let losses = 0;
  const log = openLog(output, () => losses++);
  log.write({ n: 1 });
  log.write({ n: 2 });
  expect(written).toEqual([]);
  await turn();
  output.writableLength = 1 << 30;
  log.write({ n: 3 });
  log.write({ n: 4 });
  await turn();
  output.writableLength = 1000;
  log.write({ n: 5 });
  log.flush();
  await turn();
  const numbers = written.map((text) =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).n),
  );
  expect([numbers, losses]).toEqual([[[1, 2], [5]], 1]);
});

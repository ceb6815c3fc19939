/**
 * Requests in several languages, with the key in the environment variable MALARIA_API_KEY. Tests run each exactly as
 * shown, but for PowerShell, which Debian does not have.
 */
import type { ReferenceOperation } from './reference.ts';

export interface Sample {
  language: string;
  text: string;
}

/** @param file name of the file for the answer; null if the answer is JSON, which is printed */
export function codeSamples(url: string, file: string | null): Sample[] {
  const quotedUrl = JSON.stringify(url);
  const quotedFile = JSON.stringify(file);
  return [
    {
      language: 'curl',
      text: `curl${file === null ? '' : ` -o ${file}`} -H "Authorization: Bearer $MALARIA_API_KEY" '${url}'`,
    },
    {
      language: 'Python',
      text: [
        '# Needs the package requests.',
        'import os, requests',
        `answer = requests.get(${quotedUrl}, headers={"Authorization": "Bearer " + os.environ["MALARIA_API_KEY"]}, timeout=60)`,
        'if not answer.ok: raise SystemExit(answer.text)',
        file === null ? 'print(answer.json())' : `open(${quotedFile}, "wb").write(answer.content)`,
      ].join('\n'),
    },
    {
      language: 'R',
      text: [
        '# Needs the packages curl and jsonlite.',
        'library(curl)',
        'handle <- new_handle()',
        'handle_setheaders(handle, Authorization = paste("Bearer", Sys.getenv("MALARIA_API_KEY")))',
        `answer <- curl_fetch_memory(${quotedUrl}, handle)`,
        'if (answer$status_code != 200) stop(rawToChar(answer$content))',
        file === null
          ? 'str(jsonlite::fromJSON(rawToChar(answer$content)))'
          : `writeBin(answer$content, ${quotedFile})`,
      ].join('\n'),
    },
    {
      language: 'TypeScript',
      text: [
        '// Save this as an ES module such as sample.mts, which Node.js 24 runs directly.',
        ...(file === null ? [] : ["import { writeFile } from 'node:fs/promises';"]),
        `const answer = await fetch(${quotedUrl}, { headers: { Authorization: \`Bearer \${process.env.MALARIA_API_KEY}\` } });`,
        'if (!answer.ok) throw new Error(await answer.text());',
        file === null
          ? 'console.log(await answer.json());'
          : `await writeFile(${quotedFile}, Buffer.from(await answer.arrayBuffer()));`,
      ].join('\n'),
    },
    {
      language: 'PowerShell',
      text: [
        '$headers = @{ Authorization = "Bearer $env:MALARIA_API_KEY" }',
        file === null
          ? `Invoke-RestMethod -Headers $headers -Uri '${url}' | ConvertTo-Json -Depth 9`
          : `Invoke-WebRequest -Headers $headers -Uri '${url}' -OutFile ${file}`,
      ].join('\n'),
    },
  ];
}

/** Requests for the example of an operation, at an API that listens at `baseUrl`. */
export const operationSamples = ({ path, address, schema }: ReferenceOperation, baseUrl: string): Sample[] =>
  codeSamples(`${baseUrl}${address}`, schema ? null : path.split('/').at(-1)!);

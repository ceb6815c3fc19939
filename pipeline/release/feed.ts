/**
 * The Atom feed (RFC 4287) of releases and new months, without figures, since anyone who reaches the dashboard's port
 * can read it.
 */
import type * as schemas from '../contract/schemas.ts';
import { sha256 } from '../lib/hash.ts';

/** Number of latest releases that the feed lists. */
const LISTED = 50;
const SERVICE = 'Malaria Risk Data Service';

/** @param releases latest first */
export function renderFeed(
  current: string,
  versions: schemas.Versions['versions'],
  releases: schemas.Versions['releases'],
): string {
  const [country] = current.split('-');
  const entries = releases.slice(0, LISTED).map((release) => {
    const { model_version, released_at } = release;
    const version = versions.find((one) => one.model_version === model_version)!;
    return `<entry>
<id>${urn(`${model_version} ${released_at}`)}</id>
<title>${text(releaseTitle(release))}</title>
<updated>${released_at}</updated>
<summary>${text(releaseSummary(release, version))}</summary>
</entry>
`;
  });
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>${urn(`${SERVICE} ${country}`)}</id>
<title>${text(`${SERVICE}: releases for ${country}`)}</title>
<updated>${releases[0]!.released_at}</updated>
<author><name>${SERVICE}</name></author>
${entries.join('')}</feed>
`;
}

type Release = schemas.Versions['releases'][number];

function releaseTitle({ model_version, new_months, rollback }: Release): string {
  if (rollback) return `Back to ${model_version}`;
  const [first, last] = [new_months[0], new_months.at(-1)];
  const months = first === undefined ? '' : `, ${first === last ? first : `${first} to ${last}`} estimated`;
  return `${model_version}${months}`;
}

function releaseSummary(
  { replaces, note, changed, data }: Release,
  version: schemas.Versions['versions'][number],
): string {
  const { first_estimated, last_estimated, last_forecast, sunset } = version;
  return [
    ...(note === null ? [] : [note]),
    `Months ${first_estimated} to ${last_estimated} estimated, to ${last_forecast} forecast.`,
    ...(replaces === null ? [] : [`Replaces ${replaces}.`]),
    ...(changed.length > 0 ? [`Changed: ${changed.join(', ')}.`] : []),
    ...data.map(({ title, was, is }) => `${title}: ${was ?? 'new'} → ${is ?? 'removed'}.`),
    ...(sunset === null ? [] : [`Kept at least until ${sunset.slice(0, 10)}.`]),
  ].join(' ');
}

/** A stable identifier: a UUID (version 8, RFC 9562) from a hash. */
function urn(of: string): string {
  const hex = sha256(of);
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ];
  return `urn:uuid:${parts.join('-')}`;
}

/** Text for XML, without forbidden characters and with markup escaped. */
const text = (raw: string) =>
  raw
    // biome-ignore lint/suspicious/noControlCharactersInRegex: XML cannot represent these characters
    .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
    .replaceAll(/[<>&]/g, (sign) => `&#${sign.codePointAt(0)};`);

import { type Html, html } from '../../../pipeline/lib/pages/html.ts';
import { renderPage } from '../../../pipeline/lib/pages/page.ts';
import type { Visitor } from '../../store/people/sessions.ts';
import { SERVICE_NAME } from '../mail/mails.ts';
import { postForm } from './parts.ts';

/** URLs of the files that pages load, each with a hash of its content. */
export interface AssetUrls {
  style: string;
  script: string;
  icon: string;
}

/** The menu of a signed-in visitor. */
export function visitorMenu({ person, account }: Visitor): { path: string; label: string }[] {
  if (account === null) {
    return [
      { path: '/team/accounts', label: 'Accounts' },
      { path: '/team/people', label: 'Service team' },
      { path: '/team/activity', label: 'Audit log' },
      { path: '/reference', label: 'Reference' },
      { path: '/profile', label: 'Your profile' },
    ];
  }
  return [
    { path: '/settings/api-access', label: 'API access' },
    { path: '/settings/usage', label: 'Usage' },
    { path: '/reference', label: 'Reference' },
    ...(account.kind === 'organisation' ? [{ path: '/settings/people', label: 'People' }] : []),
    ...(person.role === 'member' ? [] : [{ path: '/settings/activity', label: 'Activity' }]),
    { path: '/profile', label: 'Your profile' },
  ];
}

export interface PageFrame {
  title: string;
  body: Html;
  visitor: Visitor | null;
  csrf: string;
  /** The page's path, which the menu marks. */
  path: string;
  assets: AssetUrls;
}

export function layout({ title, body, visitor, csrf, path, assets }: PageFrame): string {
  const head = html`<meta name="robots" content="noindex">
<link rel="icon" href="${assets.icon}" type="image/svg+xml">
<link rel="stylesheet" href="${assets.style}">
<script src="${assets.script}" defer></script>`;
  return renderPage(
    `${title} – ${SERVICE_NAME}`,
    head,
    html`<a class="skip" href="#main">Skip to content</a>
<header><div class="wrap">
  <a class="brand" href="/">${SERVICE_NAME}</a>
  ${
    visitor &&
    html`<div class="who"><span>${visitor.account?.name ?? 'Service team'}<span class="unseen">, </span><small>${
      visitor.person.name
    }</small></span>${postForm(csrf, '/sign-out', html`<button type="submit" class="quiet">Sign out</button>`)}</div>`
  }
</div></header>
${
  visitor &&
  html`<nav class="menu" aria-label="${visitor.account ? 'Settings' : 'Service'}"><div class="wrap"><ul>${visitorMenu(
    visitor,
  ).map((item) => {
    const ariaCurrent = path === item.path ? 'page' : path.startsWith(`${item.path}/`) ? 'true' : null;
    return html`<li><a href="${item.path}"${ariaCurrent && html` aria-current="${ariaCurrent}"`}>${item.label}</a></li>`;
  })}</ul></div></nav>`
}
<main id="main" class="wrap${!visitor && ' narrow'}" tabindex="-1">
${body}
</main>
<footer class="wrap"><p>Estimated and forecast malaria risk by area and month. All times are UTC.</p></footer>`,
  );
}

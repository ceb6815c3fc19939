/** Assembles the dashboard from its routes, with everything that all pages share. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import cookie, { type CookieSerializeOptions } from '@fastify/cookie';
import formbody from '@fastify/formbody';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { errorLine, TryAgain, UsageError } from '../../pipeline/lib/errors.ts';
import { html } from '../../pipeline/lib/pages/html.ts';
import { baseStyle, cardStyle } from '../../pipeline/lib/pages/page.ts';
import { TooBusy } from '../store/people/passwords.ts';
import { BROWSER_REMEMBERED_MS, mustSetUpFactor } from '../store/people/person-rules.ts';
import type { Visitor } from '../store/people/sessions.ts';
import { hashToken, isToken, mintToken } from '../store/people/tokens.ts';
import { countedAddress, csrfToken, isFormFromOwnPage, loggedNetwork, securityHeaders } from './guard.ts';
import { type AssetUrls, layout } from './kit/layout.ts';
import { problemNotice } from './kit/parts.ts';
import type { Services } from './kit/services.ts';
import { type Answer, type Route, readFields, type SignedIn, type Visit } from './kit/visit.ts';
import { ROUTES } from './page-routes.ts';
import { refuseUnconfirmed } from './pages/confirm.ts';
import { TWO_STEP_PATH } from './pages/second-factor.ts';

const ASSETS = {
  style: ['style.css', 'text/css; charset=utf-8'],
  script: ['copy.js', 'text/javascript; charset=utf-8'],
  icon: ['icon.svg', 'image/svg+xml'],
} as const;

/** Forms are short. */
const MAX_BODY_BYTES = 16_384;
const MAX_CONNECTIONS = 1000;

/** @param trustProxy addresses or networks of the proxies whose X-Forwarded-For is trusted */
export async function buildDashboard(services: Services, trustProxy: readonly string[]): Promise<FastifyInstance> {
  const app = fastify({
    bodyLimit: MAX_BODY_BYTES,
    trustProxy: [...trustProxy],
    requestTimeout: 20_000,
    connectionTimeout: 30_000,
    // Node checks these times only so often.
    http: { maxHeaderSize: 16_384, headersTimeout: 10_000, connectionsCheckingInterval: 2000 },
    frameworkErrors: (_error, request, reply) => answerError(request, reply, 400, 'This address is malformed'),
  });
  app.server.maxConnections = MAX_CONNECTIONS;
  app.removeAllContentTypeParsers();
  await app.register(cookie);
  await app.register(formbody);
  const assets = serveAssets(app);
  const answerError = errorAnswerer(services, assets);

  app.addHook('onRequest', async (request, reply) => {
    reply.headers(securityHeaders(isHttps(services)));
    // Under another host name the page could belong to another site (DNS rebinding), and its links would point there.
    if (request.headers.host !== new URL(services.dashboardUrl()).host) {
      answerError(request, reply, 421, `The dashboard is at ${services.dashboardUrl()}`);
      return reply;
    }
  });
  app.setNotFoundHandler((request, reply) => answerError(request, reply, 404, 'Page not found'));
  app.setErrorHandler((error: { statusCode?: number }, request, reply) => {
    if (error instanceof TooBusy) {
      services.countSignIn('too_busy');
      services.logLine(`dashboard: ${error.message}, most recently from ${loggedNetwork(request.ip)}`, 'sign_in');
      reply.header('retry-after', '10');
      return answerError(request, reply, 503, 'The service is busy. Please try again in a moment');
    }
    if (error instanceof TryAgain) {
      reply.header('retry-after', '10');
      services.logLine(`dashboard: ${errorLine(error)}`, 'dashboard');
      // The change may have been made even though its answer never came.
      const advice =
        request.method === 'POST' ? 'Check whether your change was made before you send it again.' : undefined;
      return answerError(request, reply, 503, 'The service is not available. Please try again in a moment', advice);
    }
    const status = error.statusCode ?? 500;
    if (status < 500) return answerError(request, reply, status, 'The request is malformed');
    services.logLine(`dashboard: ${request.routeOptions.url ?? 'a page'} failed: ${errorLine(error)}`, 'dashboard');
    return answerError(request, reply, 500, 'Something went wrong. Please try again later');
  });

  const cookies = tokenCookies(services);
  for (const route of ROUTES) {
    app.route({
      method: route.method,
      url: route.path,
      handler: async (request, reply) => {
        const sessionToken = cookies.read(request, 'session');
        const token = sessionToken ?? mintToken();
        const csrf = csrfToken(token);
        const csrfSent = readFields(request.body).text('csrf');
        if (
          route.method === 'POST' &&
          !(sessionToken && isFormFromOwnPage(request, services.dashboardUrl(), csrf, csrfSent))
        ) {
          return answerError(request, reply, 403, 'This form is out of date. Go back, reload the page and try again');
        }
        if (!sessionToken) cookies.set(reply, 'session', token);
        const sessionHash = hashToken(token);
        const now = services.clock.wallMs();
        const visitor = sessionToken ? await services.directory.sessions.findVisitor(sessionHash, now) : null;
        const browserToken = cookies.read(request, 'browser');
        const visit: Visit = {
          path: request.url.split('?')[0]!,
          query: readFields(request.query),
          formData: readFields(request.body),
          params: request.params as Record<string, string>,
          visitor: visitor && !visitor.factorDue ? visitor : null,
          pendingVisitor: visitor?.factorDue ? visitor : null,
          sessionHash,
          browserHash: browserToken === null ? null : hashToken(browserToken),
          csrf,
          address: countedAddress(request.ip),
          network: loggedNetwork(request.ip),
          now,
        };
        return sendAnswer(reply, route, visit, await runRoute(route, visit, services), { cookies, assets });
      },
    });
  }
  return app;
}

const isHttps = ({ dashboardUrl }: Services) => dashboardUrl().startsWith('https:');

/** How cookies with tokens are set and read. */
function tokenCookies(services: Services) {
  // The prefix keeps other hosts of the domain from setting our cookies; browsers accept it over https only.
  const fullName = (name: string) => (isHttps(services) ? `__Host-${name}` : name);
  return {
    set(reply: FastifyReply, name: string, token: string, options: CookieSerializeOptions = {}): void {
      const secure = isHttps(services);
      reply.setCookie(fullName(name), token, { path: '/', httpOnly: true, sameSite: 'lax', secure, ...options });
    },
    read(request: FastifyRequest, name: string): string | null {
      const token = request.cookies[fullName(name)];
      return token !== undefined && isToken(token) ? token : null;
    },
  };
}

/** Returns a function that answers a request with an error. */
function errorAnswerer(services: Services, assets: AssetUrls) {
  return (request: FastifyRequest, reply: FastifyReply, status: number, title: string, advice?: string): void => {
    reply
      .headers(securityHeaders(isHttps(services)))
      .code(status)
      .type('text/html; charset=utf-8');
    const body = html`<h1>${title}</h1>${advice && html`<p>${advice}</p>`}<p><a href="${services.dashboardUrl()}">Go to the start page</a></p>`;
    reply.send(layout({ title, body, visitor: null, csrf: '', path: request.url, assets }));
  };
}

async function runRoute(route: Route, visit: Visit, services: Services): Promise<Answer> {
  try {
    if (route.audience === 'anyone') return await route.handler(visit, services);
    const { visitor } = visit;
    if (visitor === null) return { location: visit.pendingVisitor ? '/sign-in/code' : '/sign-in' };
    if (!route.audience.includes(visitor.person.role)) return forbidden(visitor);
    if (route.path !== TWO_STEP_PATH && mustSetUpFactor(visitor.person, services.twoStepRoles))
      return { location: TWO_STEP_PATH };
    const signedIn = visit as SignedIn;
    const mustConfirm = route.method === 'POST' && route.withoutConfirmation === undefined;
    return (mustConfirm && (await refuseUnconfirmed(signedIn, services))) || (await route.handler(signedIn, services));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return {
      title: 'Nothing was changed',
      status: 400,
      body: html`<h1>Nothing was changed</h1>${problemNotice('This could not be done', error.message)}`,
    };
  }
}

function sendAnswer(
  reply: FastifyReply,
  route: Route,
  visit: Visit,
  answer: Answer,
  { cookies, assets }: { cookies: ReturnType<typeof tokenCookies>; assets: AssetUrls },
): FastifyReply {
  if (answer.sessionToken !== undefined) cookies.set(reply, 'session', answer.sessionToken);
  if (answer.browserToken !== undefined)
    cookies.set(reply, 'browser', answer.browserToken, { maxAge: BROWSER_REMEMBERED_MS / 1000 });
  if (answer.location !== undefined) return reply.redirect(answer.location, 303);
  const { title, body, status = 200, retryAfterMs } = answer;
  if (retryAfterMs !== undefined) reply.header('retry-after', String(Math.ceil(retryAfterMs / 1000)));
  const csrf = answer.sessionToken === undefined ? visit.csrf : csrfToken(answer.sessionToken);
  const frame = { title, body, visitor: visit.visitor, csrf, path: route.path, assets };
  return reply.code(status).type('text/html; charset=utf-8').send(layout(frame));
}

function forbidden({ account }: Visitor): Answer {
  const audience = account === null ? 'people who belong to an account' : 'people with another role';
  const body = html`<h1>No access</h1>${problemNotice('Your role does not allow this', `This page is for ${audience}.`)}`;
  return { title: 'No access', status: 403, body };
}

/** Serves the files that pages load, under names that change with their content. */
function serveAssets(app: FastifyInstance): AssetUrls {
  const urls = Object.entries(ASSETS).map(([name, [file, type]]) => {
    const text = readFileSync(join(import.meta.dirname, 'assets', file), 'utf8');
    const content = name === 'style' ? baseStyle() + cardStyle() + text : text;
    const version = createHash('sha256').update(content).digest('hex').slice(0, 12);
    const url = `/assets/${version}-${file}`;
    app.get(url, (_request, reply) =>
      reply.header('cache-control', 'public, max-age=31536000, immutable').type(type).send(content),
    );
    return [name, url];
  });
  return Object.fromEntries(urls);
}

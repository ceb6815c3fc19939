/** Security headers, CSRF checks, and the addresses that attempts are counted under. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { isIPv6 } from 'node:net';
import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';

/**
 * Only our own style sheet, script and images, nothing inline, forms to this site only, never framed. The referrer goes
 * to our own pages: without any, browsers would send `Origin: null` with our own forms.
 */
export function securityHeaders(isHttps: boolean): Record<string, string> {
  return {
    'content-security-policy':
      "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; form-action 'self'; " +
      "base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
    'cache-control': 'no-store',
    ...(isHttps ? { 'strict-transport-security': 'max-age=31536000' } : {}),
  };
}

/** The CSRF token in a session's forms. It does not reveal the session's token. */
export function csrfToken(token: string): string {
  return createHash('sha256').update(`csrf ${token}`).digest('base64url');
}

/**
 * Whether one of our pages sent a form: by the origin, if the browser gives one, and always by the token that only our
 * pages carry.
 */
export function isFormFromOwnPage(
  request: FastifyRequest,
  origin: string,
  csrfExpected: string,
  csrfSent: string,
): boolean {
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  const requestOrigin = request.headers.origin;
  if (requestOrigin !== undefined && requestOrigin !== origin) return false;
  const [expectedBytes, sentBytes] = [Buffer.from(csrfExpected), Buffer.from(csrfSent)];
  return expectedBytes.length === sentBytes.length && timingSafeEqual(expectedBytes, sentBytes);
}

/** The address under which attempts from `ip` are counted: IPv4, or the /64 that a single IPv6 customer has. */
export function countedAddress(ip: string): string {
  if (!isIPv6(ip)) return ip;
  const address = ipaddr.process(ip);
  return address.kind() === 'ipv4' ? address.toString() : `${ipaddr.IPv6.networkAddressFromCIDR(`${ip}/64`)}/64`;
}

/**
 * The network of `ip`, its /24 or /48: what logs have of an address, enough to see where an attack comes from and too
 * little to single out a visitor.
 */
export function loggedNetwork(ip: string): string {
  // Whatever a web server in front writes into X-Forwarded-For arrives here.
  if (!ipaddr.isValid(ip)) return 'an unknown network';
  const address = ipaddr.process(ip);
  if (address.kind() === 'ipv4') return `${ipaddr.IPv4.networkAddressFromCIDR(`${address}/24`)}/24`;
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/48`)}/48`;
}

/** Time-based one-time passwords (RFC 6238), as every authenticator app supports them: SHA-1, 6 digits, 30 s. */
import { Secret, TOTP } from 'otpauth';

/** A new secret in base 32: 160 bits (RFC 4226, section 4), 32 characters. */
export function mintSecret(): string {
  return new Secret({ size: 20 }).base32;
}

export function isSecret(text: string): boolean {
  return /^[A-Z2-7]{32}$/.test(text);
}

/** The 30-second step since 1970 that `code` belongs to, if it is the current one or a neighbour; else null. */
export function matchingStep(secret: string, code: string, now: number): number | null {
  if (!/^\d{6}$/.test(code)) return null;
  const totp = new TOTP({ secret });
  const stepsOff = totp.validate({ token: code, timestamp: now, window: 1 });
  return stepsOff === null ? null : totp.counter({ timestamp: now }) + stepsOff;
}

/** The last step whose codes are no longer accepted at `now`. */
export function lastPastStep(now: number): number {
  return TOTP.counter({ timestamp: now }) - 2;
}

/** The URL that an authenticator app reads from a QR code. */
export function otpauthUrl(secret: string, email: string, issuer: string): string {
  return new TOTP({ secret, label: email, issuer }).toString();
}

/** Time-based one-time passwords: RFC 6238 over RFC 4226, with what every authenticator app takes (SHA-1, 6 digits, 30 s). */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

export const STEP_MS = 30_000;
const DIGITS = 6;
/** RFC 4226, section 4: 160 bits. */
const SECRET_BYTES = 20;
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** A fresh secret in base 32, 32 characters. */
export function mintSecret(): string {
  const bits = [...randomBytes(SECRET_BYTES)].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return bits.replace(/.{5}/g, (five) => BASE32[Number.parseInt(five, 2)]!);
}

export function isSecret(text: string): boolean {
  return /^[A-Z2-7]{32}$/.test(text);
}

function bytesOf(secret: string): Buffer {
  const bits = [...secret].map((letter) => BASE32.indexOf(letter).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

/** The code of `step`, whole half minutes since 1970 (RFC 4226, 5.3). `secret` in base 32. */
export function codeAt(secret: string, step: number, digits = DIGITS): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', bytesOf(secret)).update(counter).digest();
  const offset = mac[mac.length - 1]! & 15;
  const number = (mac.readUInt32BE(offset) & 0x7fffffff) % 10 ** digits;
  return String(number).padStart(digits, '0');
}

/** The step that `code` belongs to, of the present one and its neighbours (RFC 6238, 5.2); null where of none. */
export function stepOf(secret: string, code: string, now: number): number | null {
  if (!/^\d{6}$/.test(code)) return null;
  const present = Math.floor(now / STEP_MS);
  const steps = [present, present - 1, present + 1].filter((step) =>
    timingSafeEqual(Buffer.from(codeAt(secret, step)), Buffer.from(code)),
  );
  return steps[0] ?? null;
}

/** What an authenticator app reads from a QR code. */
export function otpauthUrl(secret: string, email: string, issuer: string): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(email)}`;
  return `otpauth://totp/${label}?secret=${secret}&issuer=${encodeURIComponent(issuer)}`;
}

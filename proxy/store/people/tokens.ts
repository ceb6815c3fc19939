import { createHash, randomBytes } from 'node:crypto';

/** 256 random bits as text for a cookie or link: impossible to guess, so storing a plain hash is enough. */
export function mintToken(): string {
  return randomBytes(32).toString('base64url');
}

export function isToken(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text);
}

/** SHA-256 of a token, the only form in which it is stored. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

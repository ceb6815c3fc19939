/** The function of an authenticator app. */
import { TOTP } from 'otpauth';

export const STEP_MS = 30_000;

/** The code for `step`, counted in half minutes since 1970. */
export function codeAt(secret: string, step: number): string {
  return new TOTP({ secret }).generate({ timestamp: step * STEP_MS });
}

import { keyRoutes } from './pages/keys.ts';
import { linkRoutes } from './pages/links.ts';
import { profileRoutes } from './pages/profile.ts';
import { factorRoutes } from './pages/second-factor.ts';
import { signInRoutes } from './pages/sign-in.ts';
import type { Route } from './visit.ts';

/** Every page there is, and who may come. */
export const ROUTES: readonly Route[] = [
  ...signInRoutes,
  ...linkRoutes,
  ...keyRoutes,
  ...profileRoutes,
  ...factorRoutes,
];

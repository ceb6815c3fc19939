import type { Route } from './kit/visit.ts';
import { activityRoutes } from './pages/activity.ts';
import { keyRoutes } from './pages/api-access.ts';
import { replaceRoutes } from './pages/key-replace.ts';
import { linkRoutes } from './pages/one-time-link.ts';
import { peopleRoutes } from './pages/people.ts';
import { profileRoutes } from './pages/profile.ts';
import { referenceRoutes } from './pages/reference.ts';
import { factorRoutes } from './pages/second-factor.ts';
import { signInRoutes } from './pages/sign-in.ts';
import { teamRoutes } from './pages/team.ts';
import { teamAccountRoutes } from './pages/team-account.ts';
import { usageRoutes } from './pages/usage.ts';

/** Every page, and who may open it. */
export const ROUTES: readonly Route[] = [
  ...signInRoutes,
  ...linkRoutes,
  ...keyRoutes,
  ...replaceRoutes,
  ...usageRoutes,
  ...referenceRoutes,
  ...peopleRoutes,
  ...activityRoutes,
  ...teamRoutes,
  ...teamAccountRoutes,
  ...profileRoutes,
  ...factorRoutes,
];

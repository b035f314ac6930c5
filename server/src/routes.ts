import { accountRoutes, apiTokenRoutes } from './accounts/index.ts'
import { analyticsRoutes, deliveryRoutes } from './analytics/index.ts'
import { backfillRoutes, checkPagesRoutes, resendRoutes, testDeliveryRoutes } from './deliveries/index.ts'
import { generationRoutes } from './generation/index.ts'
import { incidentRoutes } from './incidents/index.ts'
import { liveRoutes } from './live/index.ts'
import { mediaRoutes } from './media/index.ts'
import { notificationRoutes } from './notifications/index.ts'
import type { Endpoint } from './platform/http/endpoint.ts'
import {
  duplicateRoute,
  postRoutes,
  postsWithPictures,
  previewRoutes,
  proposalRoutes,
  revisionRoutes,
  trashRoutes,
  workingCopyRoutes,
} from './posts/index.ts'
import { pullRoutes } from './pull/index.ts'
import { accountOriginalRoutes, assertSites, detectionRoutes, siteRoutes } from './sites/index.ts'
import { exportRoute, importRoutes } from './transfer/index.ts'

/** The whole API, in the order in which it is documented. */
export const endpoints: readonly Endpoint[] = [
  ...accountRoutes,
  ...accountOriginalRoutes,
  ...apiTokenRoutes(assertSites),
  ...postRoutes,
  ...revisionRoutes,
  duplicateRoute,
  ...workingCopyRoutes,
  ...trashRoutes,
  ...previewRoutes,
  ...proposalRoutes,
  ...mediaRoutes(postsWithPictures),
  ...generationRoutes,
  ...siteRoutes,
  ...testDeliveryRoutes,
  ...backfillRoutes,
  ...resendRoutes,
  ...checkPagesRoutes,
  ...detectionRoutes,
  ...deliveryRoutes,
  ...analyticsRoutes,
  ...pullRoutes,
  ...importRoutes,
  exportRoute,
  ...notificationRoutes,
  ...incidentRoutes,
  ...liveRoutes,
]

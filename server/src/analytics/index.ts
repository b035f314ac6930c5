export { deliveryRoutes } from './log-routes.ts'
export { analyticsRoutes } from './routes.ts'

export { followIncidents } from './follow.ts'
export { removeIncidents } from './list.ts'
export { incidentRoutes } from './routes.ts'

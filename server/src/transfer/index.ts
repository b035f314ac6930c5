export { exportRoute } from './export/routes.ts'
export { importJobs } from './import/jobs.ts'
export { forgetOldImports } from './import/operations.ts'
export { importRoutes } from './import/routes.ts'

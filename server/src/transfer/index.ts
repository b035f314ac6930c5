export { exportRoute } from './export/routes.ts'

export { mcpMetadataRoutes, mcpRoute } from './route.ts'

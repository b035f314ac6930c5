import { createDocument } from './platform/http/openapi.ts'
import { endpoints } from './routes.ts'
import { VERSION } from './version.ts'

const DESCRIPTION = `Write once; Postrider publishes to every connected site by signed webhooks and shows what arrived where.

All bodies are JSON. Errors are \`{"error", "message"}\`, with \`field\` where one input is to blame. Every response carries
\`X-Request-Id\`. Times are ISO 8601 in UTC with milliseconds.`

/** The OpenAPI 3.1 document of the whole API. */
export function createApiDocument(serverUrl: string): ReturnType<typeof createDocument> {
  return createDocument(endpoints, { title: 'Postrider', version: VERSION, description: DESCRIPTION, serverUrl })
}

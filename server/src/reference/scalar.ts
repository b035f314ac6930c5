import plugin from '@scalar/fastify-api-reference'

/** As much of Fastify as its plugin asks for. */
type Route = { url: string; handler(request: unknown, reply: Reply): unknown }
type Reply = { header(name: string, value: string): Reply; send(content: string): unknown }

const BUNDLE = '/js/scalar.js'

/**
 * Scalar's browser bundle, as JavaScript text. Among Scalar's packages the Fastify plugin is the smallest that has it
 * (decision 0012), so the plugin is asked for its routes, and the bundle's route for what it sends.
 */
export function scalarBundle(): string {
  const routes: Route[] = []
  plugin({ route: (route: Route) => void routes.push(route) }, { configuration: { url: '/openapi.json' } }, () => {})
  let bundle = ''
  const reply: Reply = { header: () => reply, send: (content) => (bundle = content) }
  routes.find(({ url }) => url.endsWith(BUNDLE))?.handler({}, reply)
  if (bundle === '') throw new Error(`@scalar/fastify-api-reference serves nothing at ${BUNDLE}`)
  return bundle
}

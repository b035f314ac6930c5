import plugin from '@scalar/fastify-api-reference'

/** The part of Fastify that the plugin uses. */
type Route = { url: string; handler(request: unknown, reply: Reply): unknown }
type Reply = { header(name: string, value: string): Reply; send(content: string): unknown }

const BUNDLE = '/js/scalar.js'

/**
 * Scalar's browser bundle, as JavaScript text. The Fastify plugin is the smallest of Scalar's packages that contains it
 * (decision 0012), so this registers the plugin's routes and calls the bundle's.
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

/** Every screen, with what its address may say. Screens are loaded when they are first shown. */
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
  type SearchSchemaInput,
} from '@tanstack/react-router'
import { deliveriesSearch, postsSearch, sitesSearch } from './addresses.ts'
import { isSignedOut } from './api.ts'
import { accountQuery, queryClient } from './queries.ts'
import { sessionBegan } from './session.ts'
import { Layout } from './shell/layout.tsx'
import { NotFound } from './shell/not-found.tsx'
import { Problem } from './ui/placeholder.tsx'

/**
 * What an address says after its question mark: texts by name. Anybody may have written it. What a route does not return
 * reaches its screen unread, so each returns all its names, with undefined for what is none.
 */
type Given = Record<string, unknown> & SearchSchemaInput

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFound })

/** Where to go after signing in: a place of ours, or nothing. */
const withNext = ({ next }: Given): { next?: string | undefined } => ({
  next: typeof next === 'string' && /^\/(?![/\\])/.test(next) ? next : undefined,
})

/** Somebody who is signed in has nothing to do at the gate; it is shown to everybody else, and to whom nothing is known of. */
async function passGate({ search }: { search: ReturnType<typeof withNext> }): Promise<void> {
  // The service has been asked already, by the screen that led here or for the other form.
  if (queryClient.getQueryState(accountQuery.queryKey)?.status === 'error') return
  const account = await queryClient.ensureQueryData(accountQuery).catch(() => undefined)
  if (account !== undefined) throw redirect({ href: search.next ?? '/', replace: true })
}

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: withNext,
  beforeLoad: passGate,
  component: lazyRouteComponent(() => import('./screens/sign-in.tsx'), 'SignIn'),
})

const signUp = createRoute({
  getParentRoute: () => root,
  path: '/sign-up',
  validateSearch: withNext,
  beforeLoad: passGate,
  component: lazyRouteComponent(() => import('./screens/sign-in.tsx'), 'SignUp'),
})

/** What only somebody who is signed in sees; others come back after signing in. */
const inside = createRoute({
  getParentRoute: () => root,
  id: 'inside',
  component: Layout,
  async beforeLoad({ location }) {
    try {
      await queryClient.ensureQueryData(accountQuery)
      sessionBegan()
    } catch (error) {
      if (!isSignedOut(error)) throw error
      throw redirect({ to: '/sign-in', search: location.href === '/' ? {} : { next: location.href } })
    }
  },
})

const overview = createRoute({
  getParentRoute: () => inside,
  path: '/',
  component: lazyRouteComponent(() => import('./screens/overview.tsx'), 'Overview'),
})

const posts = createRoute({
  getParentRoute: () => inside,
  path: '/posts',
  validateSearch: (given: Given) => postsSearch(given),
  component: lazyRouteComponent(() => import('./screens/posts.tsx'), 'Posts'),
})

const deliveries = createRoute({
  getParentRoute: () => inside,
  path: '/deliveries',
  validateSearch: (given: Given) => deliveriesSearch(given),
  component: lazyRouteComponent(() => import('./screens/deliveries.tsx'), 'Deliveries'),
})

const delivery = createRoute({
  getParentRoute: () => inside,
  path: '/deliveries/$deliveryId',
  component: lazyRouteComponent(() => import('./screens/delivery.tsx'), 'Delivery'),
})

const editor = createRoute({
  getParentRoute: () => inside,
  // `new` is a post that is not stored yet; so the address can change without the page when it is.
  path: '/posts/$postId',
  // The job that has written it: what it found stands above the text.
  validateSearch: ({ draft }: Given): { draft?: string | undefined } => ({
    draft: typeof draft === 'string' ? draft : undefined,
  }),
  component: lazyRouteComponent(() => import('./screens/editor.tsx'), 'Editor'),
})

const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)

const analytics = createRoute({
  getParentRoute: () => inside,
  path: '/analytics',
  validateSearch: ({ range, unit, from, to, site }: Given): Partial<Record<AnalyticsSearch, string | undefined>> => ({
    range: textOf(range),
    unit: textOf(unit),
    from: textOf(from),
    to: textOf(to),
    site: textOf(site),
  }),
  component: lazyRouteComponent(() => import('./screens/analytics.tsx'), 'Analytics'),
})
type AnalyticsSearch = 'range' | 'unit' | 'from' | 'to' | 'site'

const sites = createRoute({
  getParentRoute: () => inside,
  path: '/sites',
  validateSearch: (given: Given) => sitesSearch(given),
  component: lazyRouteComponent(() => import('./screens/sites.tsx'), 'Sites'),
})

const connectSite = createRoute({
  getParentRoute: () => inside,
  path: '/sites/new',
  // Once the site exists, which one it is, and the code that is shown for it.
  validateSearch: ({ site, receiver }: Given): { site?: string | undefined; receiver?: string | undefined } => ({
    site: textOf(site),
    receiver: textOf(receiver),
  }),
  component: lazyRouteComponent(() => import('./screens/connect-site.tsx'), 'ConnectSite'),
})

const site = createRoute({
  getParentRoute: () => inside,
  path: '/sites/$siteId',
  component: lazyRouteComponent(() => import('./screens/site.tsx'), 'Site'),
})

const account = createRoute({
  getParentRoute: () => inside,
  path: '/account',
  component: lazyRouteComponent(() => import('./screens/account.tsx'), 'Account'),
})

const generate = createRoute({
  getParentRoute: () => inside,
  path: '/posts/generate',
  validateSearch: ({ job }: Given): { job?: string | undefined } => ({
    job: typeof job === 'string' ? job : undefined,
  }),
  component: lazyRouteComponent(() => import('./screens/generate.tsx'), 'Generate'),
})

const routeTree = root.addChildren([
  signIn,
  signUp,
  inside.addChildren([
    overview,
    posts,
    editor,
    generate,
    deliveries,
    delivery,
    sites,
    connectSite,
    site,
    analytics,
    account,
  ]),
])

/** The router. Addresses say plain texts, so that people can read and write them. */
export const router = createRouter({
  routeTree,
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0,
  scrollRestoration: true,
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch(search) {
    const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== '')
    const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
    return text === '' ? '' : `?${text}`
  },
  defaultErrorComponent: ({ error, reset }) => <Problem alone error={error} retry={reset} />,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}

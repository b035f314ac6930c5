/** Every screen with its address and search parameters. Screens are loaded when they are first shown. */
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
  type SearchSchemaInput,
} from '@tanstack/react-router'
import { calendarSearch, deliveriesSearch, postsSearch, sitesSearch } from './addresses.ts'
import { isOfService, isSignedOut } from './api.ts'
import { accountQuery, queryClient } from './queries.ts'
import { UnreachableError } from './session.ts'
import { Layout } from './shell/layout.tsx'
import { NotFound } from './shell/not-found.tsx'
import { focusPage } from './ui/focus.ts'
import { Fault, Problem } from './ui/placeholder.tsx'

/**
 * The search parameters of an address, which anybody may have written. A parameter that a route does not return reaches its
 * screen unchecked, so each route returns all its parameters, with undefined for those that are missing or wrong.
 */
type Given = Record<string, unknown> & SearchSchemaInput

/** A screen that is loaded when it is first shown. */
const screen: typeof lazyRouteComponent = (load, name) =>
  lazyRouteComponent(async () => {
    try {
      return await load()
    } catch (cause) {
      throw new UnreachableError('A part of the page could not be loaded.', { cause })
    }
  }, name)

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFound })

/** Where to go after signing in: a path of this application, or undefined. */
const withNext = ({ next }: Given): { next?: string | undefined } => ({
  next: typeof next === 'string' && /^\/(?![/\\])/.test(next) ? next : undefined,
})

/** Redirects away from signing in somebody who is signed in already; everybody else sees the form, also when we cannot tell. */
async function passGate({ search }: { search: ReturnType<typeof withNext> }): Promise<void> {
  // The screen that led here, or the other form, has already asked the service.
  if (queryClient.getQueryState(accountQuery.queryKey)?.status === 'error') return
  const account = await queryClient.ensureQueryData(accountQuery).catch(() => undefined)
  if (account !== undefined) throw redirect({ href: search.next ?? '/', replace: true })
}

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: withNext,
  beforeLoad: passGate,
  component: screen(() => import('./screens/sign-in.tsx'), 'SignIn'),
})

const signUp = createRoute({
  getParentRoute: () => root,
  path: '/sign-up',
  validateSearch: withNext,
  beforeLoad: passGate,
  component: screen(() => import('./screens/sign-in.tsx'), 'SignUp'),
})

const forgotPassword = createRoute({
  getParentRoute: () => root,
  path: '/forgot-password',
  component: screen(() => import('./screens/links-in-mail.tsx'), 'ForgotPassword'),
})

/** The token of a link in a mail. */
const withToken = ({ token }: Given): { token: string } => ({ token: typeof token === 'string' ? token : '' })

const resetPassword = createRoute({
  getParentRoute: () => root,
  path: '/reset-password',
  validateSearch: withToken,
  component: screen(() => import('./screens/links-in-mail.tsx'), 'ResetPassword'),
})

const verifyAddress = createRoute({
  getParentRoute: () => root,
  path: '/verify-address',
  validateSearch: withToken,
  component: screen(() => import('./screens/links-in-mail.tsx'), 'VerifyAddress'),
})

/** Everything that requires signing in; others sign in first and then come back. */
const inside = createRoute({
  getParentRoute: () => root,
  id: 'inside',
  component: Layout,
  async beforeLoad({ location }) {
    try {
      await queryClient.ensureQueryData(accountQuery)
    } catch (error) {
      if (!isSignedOut(error)) throw error
      throw redirect({ to: '/sign-in', search: location.href === '/' ? {} : { next: location.href } })
    }
  },
})

const overview = createRoute({
  getParentRoute: () => inside,
  path: '/',
  component: screen(() => import('./screens/overview.tsx'), 'Overview'),
})

const posts = createRoute({
  getParentRoute: () => inside,
  path: '/posts',
  validateSearch: (given: Given) => postsSearch(given),
  component: screen(() => import('./screens/posts.tsx'), 'Posts'),
})

const calendar = createRoute({
  getParentRoute: () => inside,
  path: '/calendar',
  validateSearch: (given: Given) => calendarSearch(given),
  component: screen(() => import('./screens/calendar.tsx'), 'Calendar'),
})

const deliveries = createRoute({
  getParentRoute: () => inside,
  path: '/deliveries',
  validateSearch: (given: Given) => deliveriesSearch(given),
  component: screen(() => import('./screens/deliveries.tsx'), 'Deliveries'),
})

const delivery = createRoute({
  getParentRoute: () => inside,
  path: '/deliveries/$deliveryId',
  component: screen(() => import('./screens/delivery.tsx'), 'Delivery'),
})

const editor = createRoute({
  getParentRoute: () => inside,
  // The id `new` stands for a post that is not stored yet, so that storing it changes the address but not the page.
  path: '/posts/$postId',
  // `draft` is the job that wrote the post; its report is shown above the text.
  validateSearch: ({ draft }: Given): { draft?: string | undefined } => ({
    draft: typeof draft === 'string' ? draft : undefined,
  }),
  component: screen(() => import('./screens/editor.tsx'), 'Editor'),
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
  component: screen(() => import('./screens/analytics.tsx'), 'Analytics'),
})
type AnalyticsSearch = 'range' | 'unit' | 'from' | 'to' | 'site'

const sites = createRoute({
  getParentRoute: () => inside,
  path: '/sites',
  validateSearch: (given: Given) => sitesSearch(given),
  component: screen(() => import('./screens/sites.tsx'), 'Sites'),
})

const connectSite = createRoute({
  getParentRoute: () => inside,
  path: '/sites/new',
  // Once the site is connected: its id, and the receiver whose code is shown.
  validateSearch: ({ site, receiver }: Given): { site?: string | undefined; receiver?: string | undefined } => ({
    site: textOf(site),
    receiver: textOf(receiver),
  }),
  component: screen(() => import('./screens/connect-site.tsx'), 'ConnectSite'),
})

const site = createRoute({
  getParentRoute: () => inside,
  path: '/sites/$siteId',
  component: screen(() => import('./screens/site.tsx'), 'Site'),
})

const library = createRoute({
  getParentRoute: () => inside,
  // `/media` is where pictures are served.
  path: '/library',
  component: screen(() => import('./screens/library.tsx'), 'Library'),
})

const notifications = createRoute({
  getParentRoute: () => inside,
  path: '/notifications',
  component: screen(() => import('./screens/notifications.tsx'), 'Notifications'),
})

const account = createRoute({
  getParentRoute: () => inside,
  path: '/account',
  component: screen(() => import('./screens/account.tsx'), 'Account'),
})

const generate = createRoute({
  getParentRoute: () => inside,
  path: '/posts/generate',
  validateSearch: ({ job }: Given): { job?: string | undefined } => ({
    job: typeof job === 'string' ? job : undefined,
  }),
  component: screen(() => import('./screens/generate.tsx'), 'Generate'),
})

const importing = createRoute({
  getParentRoute: () => inside,
  path: '/import',
  validateSearch: ({ id }: Given): { id?: string | undefined } => ({ id: textOf(id) }),
  component: screen(() => import('./screens/import.tsx'), 'Import'),
})

const routeTree = root.addChildren([
  signIn,
  signUp,
  forgotPassword,
  resetPassword,
  verifyAddress,
  inside.addChildren([
    overview,
    posts,
    editor,
    generate,
    importing,
    calendar,
    deliveries,
    delivery,
    sites,
    connectSite,
    site,
    analytics,
    library,
    notifications,
    account,
  ]),
])

/** The router. Search parameters are plain texts, so that people can read and write them. */
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
  defaultErrorComponent: ({ error, reset }) =>
    isOfService(error) ? <Problem alone error={error} retry={reset} /> : <Fault error={error} />,
})

// The link or button that led here may be gone with what it stood in.
router.subscribe('onRendered', ({ fromLocation, hrefChanged }) => {
  if (fromLocation !== undefined && hrefChanged) focusPage()
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}

/** The site of the documentation's examples. */

/** The site as others name it. */
export const exampleSiteRef = { id: '01a19b40-5a20-7c11-9e3d-7b42a1d0c6f8', name: "Ada's kitchen" }

/** Its webhook secret. */
export const exampleSecret = 'whsec_YW4gZXhhbXBsZSBzZWNyZXQsIDMyIGJ5dGVzIGxvbmc='

/** The input that connected it. */
export const exampleNewSite = {
  name: exampleSiteRef.name,
  url: 'https://kitchen.example.com',
  webhook_url: 'https://kitchen.example.com/webhooks/postrider',
}

/** The site as the Management API shows it. */
export const exampleSite = {
  id: exampleSiteRef.id,
  ...exampleNewSite,
  kind: 'webhook',
  debounce_seconds: null,
  post_url: 'https://kitchen.example.com/posts/{slug}',
  canonical: 'primary',
  recovery: 'automatic',
  verify: true,
  niche: 'Baking at home',
  platform: 'nextjs',
  framework: null,
  status: 'active',
  delivery_stats: { total: 42, success_rate: 97.6, last_delivery: '2026-11-02T08:00:00.412Z', not_live: 0, missing: 0 },
  last_test: {
    at: '2026-11-02T07:56:00.000Z',
    ok: true,
    store: 'files',
    previews: true,
    message: 'Your site accepted the test in 84 ms. It keeps posts in files.',
  },
  created_at: '2026-11-02T07:54:10.000Z',
}

/** Its secrets. The key has the right form but opens nothing. */
export const exampleSecrets = {
  api_key: 'pr_anExampleOfAnApiKeyThatOpensNothingAtAll00041Wv99',
  webhook_secret: exampleSecret,
}

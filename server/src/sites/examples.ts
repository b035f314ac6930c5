/** The site of the documentation's examples, as the Management API shows it. */
import { exampleSecret, exampleSite as site } from '../deliveries/index.ts'

/** The input that connected it. */
export const exampleNewSite = {
  name: site.name,
  url: 'https://kitchen.example.com',
  webhook_url: 'https://kitchen.example.com/webhooks/postrider',
}

/** The site. */
export const exampleSite = {
  id: site.id,
  ...exampleNewSite,
  niche: 'Baking at home',
  platform: 'nextjs',
  status: 'active',
  delivery_stats: { total: 42, success_rate: 97.6, last_delivery: '2026-11-02T08:00:00.412Z' },
  created_at: '2026-11-02T07:54:10.000Z',
}

/** Its secrets. The key has the right form but opens nothing. */
export const exampleSecrets = {
  api_key: 'pr_anExampleOfAnApiKeyThatOpensNothingAtAll00041Wv99',
  webhook_secret: exampleSecret,
}

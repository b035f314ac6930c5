/** The channels that the documentation shows. */
export const exampleChannel = {
  id: '01a19b45-c1a0-7d11-8f5e-6a2b9c3d4e5f',
  kind: 'email',
  target: 'ada@example.com',
  events: [
    'site.failing',
    'site.recovered',
    'delivery.failed',
    'site.not_live',
    'site.live',
    'post.late',
    'draft.failed',
  ],
  status: 'active',
  last_error: null,
  created_at: '2026-11-02T08:00:00.000Z',
}

export const exampleWebhookChannel = {
  ...exampleChannel,
  id: '01a19b45-c1a0-7d12-9c44-1b7e8f9a0b1c',
  kind: 'webhook',
  target: 'https://ops.example.com/postrider',
  status: 'failing',
  last_error: 'The answer had the status 502.',
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw5K1dQ0xX3bE=',
}

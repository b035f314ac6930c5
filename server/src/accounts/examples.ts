/** The account of all examples in the documentation. */

const user = { id: '01a19b3e-1c40-7a6f-8d21-5c0e9b7f4a10', name: 'Ada', email: 'ada@example.com' }

const token = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIwMWExOWIzZS0xYzQwLTdhNmYtOGQyMS01YzBlOWI3ZjRhMTAifQ.c2lnbmF0dXJl'

/** Her credentials. */
export const exampleCredentials = { email: user.email, password: 'correct horse battery' }

/** The answer to a login. The token is shortened. */
export const exampleSession = {
  user,
  token,
  expires_at: '2026-11-09T07:52:00.000Z',
}

/** Her account. */
export const exampleAccount = {
  user,
  plan: 'starter',
  primary_site_id: null,
  limits: { management: { limit: 100, remaining: 96, reset_seconds: 2710 } },
  generation: { model: 'openai-compatible/llama3.1' },
}

/** The cookies that begin and end a session. */
export const exampleCookie = `postrider_session=${token}; Max-Age=604800; Path=/; HttpOnly; SameSite=Strict`
export const exampleEndedCookie = 'postrider_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict'

/** The dashboard as the service serves it. */
import { fileURLToPath } from 'node:url'
import type { Config } from './platform/config.ts'
import { loadWebApp, type WebApp } from './platform/http/web-app.ts'

/** Where `npm run build` puts it. The package has it there too: its code lies as deep as the sources. */
const DIRECTORY = fileURLToPath(new URL('../../dashboard/dist', import.meta.url))

/** Posts show images, videos and sounds from anywhere and the two kinds of embeds; everything else must come from the service itself. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self'",
  'img-src https: http: data: blob:',
  'media-src https:',
  "font-src 'self'",
  "connect-src 'self'",
  "frame-src 'self' https://www.youtube.com https://www.youtube-nocookie.com https://player.vimeo.com",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

/** The built dashboard, or undefined when there is none. */
export function loadDashboard(
  { publicUrl }: Pick<Config, 'publicUrl'>,
  directory = DIRECTORY,
): Promise<WebApp | undefined> {
  const pageHeaders = {
    'Content-Security-Policy': CONTENT_SECURITY_POLICY,
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
    'Referrer-Policy': 'same-origin',
    'X-Frame-Options': 'DENY',
    ...(publicUrl.startsWith('https:') ? { 'Strict-Transport-Security': 'max-age=31536000' } : {}),
  }
  return loadWebApp(directory, pageHeaders)
}

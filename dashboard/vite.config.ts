import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

const SERVICE = 'http://localhost:3000'

/** The two faces that every page begins with; without the hint they would come one round trip later. */
const FIRST_FONTS = /(hanken-grotesk|source-serif-4)-latin-wght-normal-[\w-]+\.woff2$/

const preloadFonts: Plugin = {
  name: 'preload-fonts',
  transformIndexHtml: {
    order: 'post',
    handler: (_html, { bundle = {} }) =>
      Object.keys(bundle)
        .filter((name) => FIRST_FONTS.test(name))
        .map((name) => ({
          tag: 'link',
          attrs: { rel: 'preload', as: 'font', type: 'font/woff2', crossorigin: true, href: `/${name}` },
          injectTo: 'head-prepend',
        })),
  },
}

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwindcss(), preloadFonts],
  build: {
    // What knows light-dark(), :has() and nesting by itself.
    target: ['chrome126', 'edge126', 'firefox126', 'safari18'],
    // The content security policy knows no data: scripts, styles or fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: {
    // The service believes a session's writes only when they come from its own origin.
    proxy: { '/api': { target: SERVICE, changeOrigin: true, headers: { origin: SERVICE } } },
  },
})

/** Runs in the browser: shows the API of the service that this page came from. Scalar's bundle has set `Scalar`. */
globalThis.Scalar.createApiReference('#reference', {
  url: '/openapi.json',
  // Requests go where the page came from, whatever address the document names.
  servers: [{ url: window.location.origin, description: 'This service' }],
  authentication: { preferredSecurityScheme: 'accessToken' },
  metaData: { title: 'Postrider API' },
  documentDownloadType: 'direct',
  // Nothing from other hosts and nothing kept in the browser.
  withDefaultFonts: false,
  telemetry: false,
  persistAuth: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
})

import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** Where the server puts the nonce of each page. */
const NONCE_PLACEHOLDER = '__CSP_NONCE__'

export default defineConfig({
  base: '/console/',
  plugins: [react()],
  html: { cspNonce: NONCE_PLACEHOLDER },
  build: {
    outDir: 'dist',
    sourcemap: false,
    // A data: URL would need to be allowed by the content security policy.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
})

/** Gives zod's schemas `openapi()`, for descriptions and examples. Every module that declares schemas for others to build on loads it. */
import { extendZodWithOpenApi } from '@asteasolutions/zod-to-openapi'
import { z } from 'zod'

extendZodWithOpenApi(z)

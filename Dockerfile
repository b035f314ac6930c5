# Postrider's image: the package that `npm run package` makes, on a small Node. docs/installing.md describes it.
ARG BASE=node:26-bookworm-slim

FROM ${BASE} AS install
COPY postrider-*.tgz /tmp/
RUN mkdir /app && cd /app && npm install --no-audit --no-fund --omit=dev --ignore-scripts /tmp/postrider-*.tgz

FROM ${BASE}
COPY --from=install /app/node_modules /app/node_modules
RUN ln -s /app/node_modules/.bin/postrider /usr/local/bin/postrider \
  && mkdir /data && chown 10001:10001 /data
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/readyz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# The launcher becomes the service, so that signals reach it.
ENTRYPOINT ["node", "/app/node_modules/postrider/bin/postrider.js"]
CMD ["serve"]

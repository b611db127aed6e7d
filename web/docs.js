// Swagger UI over this service's own description. A key given to it stays in this page's memory.
window.ui = SwaggerUIBundle({
  url: new URL("../openapi.json", document.baseURI).pathname,
  dom_id: "#swagger-ui",
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  persistAuthorization: false,
  queryConfigEnabled: false,
  validatorUrl: null,
});

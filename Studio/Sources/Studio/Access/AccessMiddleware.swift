import HTTPTypes
import Hummingbird

/// Refuses what the ``AccessPolicy`` does not admit, answers errors, and tells the browser what the pages
/// may do.
struct AccessMiddleware<Context: RequestContext>: RouterMiddleware {
  let policy: AccessPolicy

  func handle(
    _ request: Request, context: Context,
    next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    var response: Response
    let refusal = policy.refusal(
      path: request.uri.path, host: request.head.authority, origin: request.headers[.origin])
    if let refusal {
      response = StudioError(.forbidden, refusal).response
    } else {
      do {
        response = try await next(request, context)
      } catch {
        response = StudioError(error).response
      }
    }
    for (name, value) in AnswerHeaders.all where response.headers[name] == nil {
      response.headers[name] = value
    }
    return response
  }
}

/// What answers say about themselves.
private enum AnswerHeaders {
  /// Pages load their own scripts, styles and pictures and nothing else, and no other page shows them.
  static let all = [
    "Content-Security-Policy": contentSecurityPolicy, "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
  ].compactMap { name, value in HTTPField.Name(name).map { ($0, value) } }

  private static let contentSecurityPolicy =
    [
      "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' blob: data:",
      "connect-src 'self'", "frame-src 'self'", "base-uri 'none'", "form-action 'none'",
      "frame-ancestors 'none'",
    ].joined(separator: "; ")
}

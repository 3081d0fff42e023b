/// Decides which requests are answered.
///
/// The server listens on 127.0.0.1 alone, but every page in the browser can send requests there. The
/// token keeps those out that were not given the address; the host keeps out a page whose name was made to
/// lead to this machine (DNS rebinding); the origin keeps out other pages that somehow know the token.
package struct AccessPolicy: Sendable {
  private static let hosts: Set<String> = ["127.0.0.1", "localhost"]

  private let token: AccessToken

  /// Admits requests with a valid token.
  package init(_ token: AccessToken) { self.token = token }

  /// Why a request is refused; `nil` when it is not.
  ///
  /// - Parameters:
  ///   - path: The path, whose first component must be the token.
  ///   - host: The header `Host`: the name in the address, with its port.
  ///   - origin: The header `Origin`: the page that asks, which browsers name when it sends something.
  package func refusal(path: String, host: String?, origin: String?) -> String? {
    let name = host?.split(separator: ":", omittingEmptySubsequences: false)
    guard let host, let name, name.count <= 2, Self.hosts.contains(name[0].lowercased()) else {
      return "This server answers at 127.0.0.1 only."
    }
    let first = path.split(separator: "/", maxSplits: 1).first ?? ""
    guard path.hasPrefix("/"), token.matches(first) else {
      return "The address has no valid token: open the one that weighbridge-studio printed."
    }
    guard origin == nil || origin?.lowercased() == "http://\(host.lowercased())" else {
      return "The request comes from another page; only the studio's own pages may send requests."
    }
    return nil
  }
}

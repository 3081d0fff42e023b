import Studio
import Testing

@Suite struct AccessTests {
  private let token = AccessToken()

  @Test func `A token has 32 hexadecimal digits and is another one each time`() {
    #expect(token.text.count == 32)
    #expect(token.text.allSatisfy { $0.isHexDigit })
    #expect(token.text != AccessToken().text)
  }

  @Test func `Only the whole token matches`() {
    #expect(token.matches(token.text))
    #expect(!token.matches(""))
    #expect(!token.matches(token.text.dropLast()))
    #expect(!token.matches(token.text + "0"))
    #expect(!token.matches(token.text.uppercased() + " "))
    for position in token.text.indices {
      var other = token.text
      let digit: Character = other[position] == "0" ? "1" : "0"
      other.replaceSubrange(position...position, with: String(digit))
      #expect(!token.matches(other))
    }
  }

  @Test(arguments: ["127.0.0.1:8080", "localhost:8080", "127.0.0.1", "LOCALHOST:1"])
  func `The own hosts are let in`(_ host: String) {
    #expect(refusal(host: host) == nil)
    #expect(refusal(host: host, origin: "http://\(host)") == nil)
  }

  @Test(
    arguments: [
      nil, "", ":8080", "evil.example", "evil.example:8080", "127.0.0.1.evil.example:8080",
      "127.0.0.2:8080", "0.0.0.0:8080", "localhost.:8080", "127.0.0.1:80:80", "[::1]:8080",
      "127.0.0.1@evil.example",
    ])
  func `A name that leads here and is another one's is refused`(_ host: String?) {
    #expect(refusal(host: host) != nil)
  }

  @Test func `Another page is refused, whatever it knows`() {
    for origin in [
      "http://evil.example", "null", "", "https://127.0.0.1:8080", "http://127.0.0.1:8081",
      "http://127.0.0.1:8080.evil.example",
    ] {
      #expect(refusal(host: "127.0.0.1:8080", origin: origin) != nil, "\(origin)")
    }
  }

  @Test func `A path without the token is refused`() {
    let policy = AccessPolicy(token)
    for path in [
      "", "/", "//", "/model", "/\(AccessToken().text)/model", "/x/\(token.text)", token.text,
    ] {
      #expect(
        policy.refusal(path: path, host: "127.0.0.1:80", origin: nil) != nil, "\(path)")
    }
  }

  private func refusal(host: String?, origin: String? = nil) -> String? {
    AccessPolicy(token).refusal(path: "/\(token.text)/model", host: host, origin: origin)
  }
}

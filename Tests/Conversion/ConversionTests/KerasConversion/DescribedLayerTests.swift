import JSON
import KerasConversion
import Testing

@testable import KerasConversion

/// What is proposed for a custom layer from the words of its author.
@Suite struct DescribedLayerTests {
  private func proposal(_ description: String, of className: String = "Mine") -> String? {
    DescribedLayer(className: className, description: description).map {
      JSONValue.object($0.mapping).text()
    }
  }

  @Test(
    "A scale and an offset are proposed as Rescaling",
    arguments: [
      ("Rescale output to adjust for ReLu ((x+1)*127.5)", 127.5, 127.5),
      ("x / 127.5 - 1", 1 / 127.5, -1), ("return x/255 - 0.5", 1 / 255, -0.5),
      ("y = 2*x + 1.", 2, 1), ("lambda x: (x - 3) / 4", 0.25, -0.75),
      ("return -(x - 1) * 2", -2, 2),
      ("return 1 - x", -1, 1),
    ] as [(String, Double, Double)])
  func rescaling(description: String, scale: Double, offset: Double) {
    let wanted = JSONValue.object([
      "class_name": "Rescaling",
      "config": .object(["scale": .real(scale), "offset": .real(offset)]),
    ])
    #expect(proposal(description) == wanted.text())
  }

  @Test(
    "Parts of the height and the width are proposed as Cropping2D",
    arguments: [
      ("return x[:, 2:-2, 2:-2]", "2"), ("Crops x[:, 1:-2, 3:, :].", "[[1,2],[3,0]]"),
      ("x[:, :, 0:-1, :-2]", "[[0,1],[0,2]]"), ("x[:, 4:, :]", "[[4,0],[0,0]]"),
    ])
  func crop(description: String, cropping: String) {
    let text = proposal(description)?.filter { !$0.isWhitespace }
    #expect(text == #"{"class_name":"Cropping2D","config":{"cropping":\#(cropping)}}"#)
  }

  @Test(
    "An activation function is known by its formula, or by its class where there is no formula",
    arguments: [
      ("return x * K.sigmoid(x)", "Mine", "swish"), ("sigmoid(x) * x", "Mine", "swish"),
      ("A fancy new activation", "SwishLayer", "swish"), ("", "Mish", "mish"),
      ("", "Identity", "linear"),
    ])
  func activation(description: String, className: String, name: String) throws {
    #expect(try #require(proposal(description, of: className)).contains(#""\#(name)""#))
  }

  @Test(
    "Nothing is proposed for descriptions that are not fully understood",
    arguments: [
      "", "x", "Weighs the channels", "x * x", "1 / x", "x / 0", "mean + x * 2", "mean - x * 2",
      "x * scale", "(x + 1", "(x + 1) ** 2", "x @ w + 1", "K.relu(x * 2 - 1)",
      "(x + 1) * 127.5, clipped to 255", "x*2 or x*3", "x[:, 2:-2, 2:-2] * 2", "x[2:-2, :, :]",
      "x[:, 2:5, :]", "x[:, ::2, :]", "x[:, 2:-2]", "x[..., 2:-2, 2:-2]", "x[:, :, :]",
      "x[:, 1:-1, 1:-1, 1:-1]", "x * sigmoid(1.5 * x)", "x × 2", "x[",
      String(repeating: "(", count: 5000) + "x", "x * 1e400", "x * 99999999999999999999e",
    ])
  func nothing(description: String) {
    #expect(proposal(description, of: "Swish2") == nil)
    if description.contains("sigmoid") { #expect(proposal(description, of: "Swish") == nil) }
  }

  @Test("Parentheses nest as deep as a description is long")
  func depth() {
    let text = String(repeating: "(", count: 199) + "x*2" + String(repeating: ")", count: 198)
    #expect(proposal(text + ")") == nil)  // one byte over the limit of 400
    #expect(proposal(String(text.dropFirst())) != nil)
  }
}

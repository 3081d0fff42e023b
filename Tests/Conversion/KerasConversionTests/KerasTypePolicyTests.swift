import Bytes
import JSON
import KerasConversion
import LayerCatalog
import Testing

@Suite struct KerasTypePolicyTests {
  private func policy(_ setting: JSONValue) throws -> KerasTypePolicy? {
    try KerasTypePolicy.separate(["dtype": setting]).policy
  }

  @Test("A policy is known by its name, as Keras 2 writes it and as Keras 3 does")
  func forms() throws {
    let old: JSONObject = [
      "class_name": "Policy", "config": .object(["name": "mixed_float16", "loss_scale": .null]),
    ]
    let new: JSONObject = [
      "module": "keras", "class_name": "DTypePolicy",
      "config": .object(["name": "mixed_float16"]), "registered_name": .null,
    ]
    let settings: [JSONValue] = ["mixed_float16", .object(old), .object(new)]
    for setting in settings {
      let policy = try #require(try policy(setting))
      #expect([policy.compute, policy.variable] == [.float16, .float32])
    }
    let double = try #require(try policy("float64"))
    #expect([double.compute, double.variable] == [.float64, .float64])
    let brain = try #require(try policy("mixed_bfloat16"))
    #expect([brain.compute, brain.variable] == [.bfloat16, .float32])
  }

  @Test("null, an integer type and an open policy are no policy")
  func none() throws {
    let settings: [JSONValue] = [.null, "int64", "_infer"]
    for setting in settings { #expect(try policy(setting) == nil) }
    #expect(try KerasTypePolicy.separate(["dtype": "int64"]).settings["dtype"] == "int64")
    #expect(try KerasTypePolicy.separate(["dtype": "float64"]).settings["dtype"] == nil)
  }

  @Test("A quantized policy computes as its source does, and stays among the settings by its name")
  func quantized() throws {
    let int8: JSONObject = [
      "module": "keras", "class_name": "QuantizedDTypePolicy",
      "config": .object(["mode": "int8", "source_name": "mixed_float16"]),
    ]
    for setting in [JSONValue.object(int8), "int8_from_mixed_float16"] {
      let (settings, policy) = try KerasTypePolicy.separate(["dtype": setting])
      #expect([policy?.compute, policy?.variable] == [.float16, .float32])
      #expect(settings["dtype"] == "int8_from_mixed_float16")
      #expect(KerasTypePolicy.quantized(settings["dtype"])?.mode == "int8")
    }
    #expect(KerasTypePolicy.quantized("float32") == nil)
  }

  @Test("Unknown policies are refused by name")
  func refusals() {
    let settings: [(JSONValue, String)] = [
      ("int8_from_int4_from_float32", "int8_from_int4_from_float32"), ("float128", "float128"),
      (7, "7"),
    ]
    for (setting, name) in settings {
      let error = #expect(throws: WeighbridgeError.self) { try policy(setting) }
      #expect(error?.code == .unsupported)
      #expect(error?.reason.contains("computes in \(name)") == true)
    }
  }
}

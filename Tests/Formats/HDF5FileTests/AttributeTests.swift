import Bytes
import HDF5File
import Testing

@Suite("Attributes of HDF5 files")
struct AttributeTests {
  @Test(
    "Strings of every storage are read without their padding",
    arguments: ["attributes.h5", "latest.h5"])
  func strings(name: String) throws {
    let file = try open(name)
    let expected = [
      "null_padded": ["ab"], "null_terminated": ["ab"], "space_padded": ["ab"],
      "fixed_utf8": ["häß"], "variable_ascii": ["plain"], "variable_utf8": ["Größe 木"],
      "fixed_list": ["conv2d_1", "x"], "variable_list": ["first", "", "third"],
    ]
    for (name, strings) in expected {
      #expect(try file.attribute(name, of: "/group") == .strings(strings), "\(name)")
    }
  }

  @Test("Numbers and enumerations are read, and an empty list is also a list of strings")
  func numbers() throws {
    let file = try open("attributes.h5")
    #expect(try file.attribute("integer", of: "/group") == .integers([-7]))
    #expect(try file.attribute("unsigned", of: "/group") == .integers([1, 255]))
    #expect(try file.attribute("reals", of: "/group") == .doubles([0.5, 1e300]))
    #expect(try file.attribute("empty_list", of: "/group") == .doubles([]))
    #expect(try file.attribute("empty_list", of: "/group")?.strings == [])
    #expect(try file.attribute("integer", of: "/group")?.strings == nil)
    #expect(try file.attribute("nothing", of: "/group") == .strings([]))
    #expect(try file.attribute("truth", of: "/group") == .integers([1]))
    #expect(try file.attribute("pair", of: "/group") == .integers([0]))
    #expect(try file.attribute("absent", of: "/group") == nil)
    #expect(try !file.hasAttribute("absent", of: "/group"))
    #expect(try file.hasAttribute("truth", of: "/group"))
  }

  @Test("Attribute names are listed, and unreadable attributes are refused only when they are read")
  func refused() throws {
    let file = try open("attributes.h5")
    #expect(try file.attributeNames(of: "/group").count == 17)
    expectFailure(.malformed, "/group: attribute \"not_utf8\": it is not UTF-8") {
      _ = try file.attribute("not_utf8", of: "/group")
    }
    expectFailure(.unsupported, "2 axes") { _ = try file.attribute("table", of: "/group") }
    expectFailure(.malformed, "/nowhere: the file has nothing") {
      _ = try file.attribute("pair", of: "/nowhere")
    }
  }

  @Test("An attribute over the limit is refused")
  func limits() throws {
    var limits = HDF5File.Limits()
    limits.attributeByteCount = 4
    let file = try open("attributes.h5", limits: limits)
    expectFailure(.limitExceeded, "over 4 bytes") {
      _ = try file.attribute("fixed_list", of: "/group")
    }
    expectFailure(.limitExceeded, "over 4 bytes") {
      _ = try file.attribute("variable_list", of: "/group")
    }
    limits.attributeElementCount = 1
    let strict = try open("attributes.h5", limits: limits)
    expectFailure(.limitExceeded, "2 elements") {
      _ = try strict.attribute("reals", of: "/group")
    }
  }
}

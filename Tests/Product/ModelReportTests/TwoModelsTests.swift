import Bytes
import ModelReport
import TestSupport
import Testing
import Weighbridge

/// Reports that compare two models.
@Suite struct TwoModelsTests {
  @Test("Two files of one model are the same, and each section has both")
  func same() throws {
    let page = try Page([
      ReportedModel(Sample.described(), path: "a/shapes.wbm"),
      ReportedModel(contentsOf: Sample.detector),
    ]) { ($0.noVerify, $0.noProfile) = (true, true) }
    #expect(try page.texts("//h1") == ["Two models: shapes.wbm and shape-detector.h5"])
    #expect(try page.texts("//header/p") == ["The same: nothing differs that counts."])
    #expect(try page.nodes("//header//div[@class='card']").count == 8)
    #expect(
      try page.section("differences").contains("Compared 23 operators and 32 weights with 78,304"))
    let differences = try page.rows("differences")
    #expect(!differences.isEmpty && differences.allSatisfy { $0[1] == "note" })
    #expect(try page.rows("layers").count == 23 && page.rows("layers", table: 2).count == 23)
    let ids = try page.texts("//@id")
    #expect(Set(ids).count == ids.count, "an id occurs twice")
  }

  @Test("Models that differ are reported so, with each difference")
  func different() throws {
    let cut = try Model(contentsOf: Sample.detector).cut(to: ["leaky_re_lu_1"])
    let report = try Report([
      ReportedModel(contentsOf: Sample.detector), ReportedModel(cut, path: "part.wbm"),
    ])
    let count = try #require(report.differences).items.count
    #expect(count > 0)
    let page = try Page(try report.html())
    #expect(try page.texts("//header/p")[0].hasPrefix("Different: "))
    #expect(try page.rows("differences").count == count)
  }

  @Test("A file that is not a model is shown beside one, and not compared")
  func notComparable() throws {
    let page = try Page([
      ReportedModel(contentsOf: Sample.detector),
      ReportedModel(contentsOf: Paths.sample("Hostile/keras/weights_only.h5")),
    ]) { ($0.noVerify, $0.noProfile) = (true, true) }
    #expect(try page.texts("//header/p") == ["They could not be compared."])
    #expect(try page.section("differences").contains("weights_only.h5"))
    #expect(try page.section("graph").contains("\(APIName.architecture)"))
    #expect(!page.text.contains(Paths.sample("Hostile")), "a folder is in the page")
  }
}

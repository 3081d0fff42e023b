extension CoreMLLayerFile {
  /// Files of one kind of layer with each of its settings, for inputs of every rank and both ways of
  /// mapping them, read up to three times; a vector and an image are also given in all versions.
  package static func all(_ kind: Int, versions: ClosedRange<Int>) -> [CoreMLLayerFile] {
    var files: [CoreMLLayerFile] = []
    let allSettings = settings(kind)
    for (index, settings) in allSettings.enumerated() {
      func add(_ input: Input, count: Int = 1, version: Int = 4) {
        for isExact in [false, true] {
          files.append(
            CoreMLLayerFile(
              kind: kind, settings: settings, input: input, inputCount: count, isExact: isExact,
              version: version))
        }
      }
      for rank in 0...6 {
        for count in index < 2 ? 0...3 : 1...2 { add(.array(rank: rank), count: count) }
      }
      for isGray in [false, true] { add(.picture(isGray: isGray)) }
      if index == allSettings.count - 1 {
        for version in versions {
          for rank in [1, 3] { add(.array(rank: rank), version: version) }
        }
      }
    }
    return files
  }

  /// Files to mutate: every kind of layer with each of its settings, of exact arrays, whose ranks
  /// take turns.
  package static let seeds: [CoreMLLayerFile] = variants.keys.sorted().flatMap { kind in
    settings(kind).enumerated().map { index, settings in
      CoreMLLayerFile(
        kind: kind, settings: settings, input: .array(rank: 1 + (kind / 5 + index) % 5),
        isExact: true, version: 5)
    }
  }

  /// The settings of a kind with which it is tried; always also none.
  private static func settings(_ kind: Int) -> [WireMessage] {
    [WireMessage()] + (variants[kind] ?? []).map { WireMessage($0) }
  }

  /// Settings that are possible for some ranks, by the number of the kind of layer; every axis has
  /// two elements.
  private static let variants: [Int: [String]] = images.merging(arrays) { first, _ in first }

  /// Layers of the first specification.
  private static let images: [Int: [String]] = [
    100: [
      "1=2 2=2 20=[1,1] 50={} 90=w4",
      "1=2 2=2 20=[2,1] 51={1=1} 60=1 70=1 90=w8 91=w2",
    ],
    120: ["10=[1,1] 30={}", "1=1 10=[2,2] 32={10=[1,1]} 50=1", "60=1 31={}"],
    130: ["10={}", "25={1=w2}", "31={1=2.0 2=0.5}", "71={1={1=[1.0]} 2=w2}", "5={1=2.0 2=1.0}"],
    140: ["1=2 2=3 20=w6", "1=8 2=3 10=1 20=w24 21=w3"],
    150: ["1=2 2=3 20=w6"],
    160: ["1=2 15=w2 16=w2 17=w2 18=w2", "1=2 5=1 6=1 15=w2 16=w2 17=w2 18=w2"],
    165: ["1=1 2=1"],
    170: ["1=0.5"],
    175: [],
    180: ["1=1.0 2=0.5 3=3 4=1.0"],
    190: ["1={10={1=1} 10={2=1}}", "5=[0,0]"],
    200: ["1={1=2.0} 10={10={1=1 2=1} 10={}}", "2={} 10={10={1=1} 10={2=1}}"],
    210: ["1=[2,3]", "7=[1.5,2.5] 5=1 6=1", "1=[2,2] 5=1 6=2"],
    211: ["1=[3,2]", "1=[2,2] 2={1=3}", "1=[4,4] 2={1=2}"],
    212: ["1=[2,2]"],
    220: ["1=3 2=2.0", "1=7 5=2.0 4=1.0"],
    230: ["1=2.0"], 231: ["1=2.0"], 240: [], 260: [], 261: [], 270: ["1=1"],
    245: ["1=[2] 2=w2", "1=[1,2,2] 2=w4 3=1 4=[1] 5=w1"],
    250: ["1=[2] 2=w2", "1=[2,2,2] 2=w8"],
    280: ["3=1", "3=2", "1=9 3=3", "1=3 3=4"],
    290: ["1=[2,2,2] 2=w8"],
    300: ["1=[2,2,2]", "1=[-1,2,2] 2=1", "1=[2,2,2,1]"],
    301: ["1=1"],
    310: ["1=[0,3,1,2]", "1=[3,1,2,0]"],
    320: ["100=1"], 330: ["1=2"], 340: ["1=2"],
    345: ["2=2", "1=1 2=2", "1=2 2=2"],
    350: ["2=1 3=1", "2=-1 3=1 4=1", "1=1 2=2 3=1 4=2"],
    400: ["1=2 2=2 10={30={}} 30=w4 31=w4"],
    410: ["1=2 2=2 10={40={}} 10={30={}} 15=1 30=w4 31=w4 32=w4 50=w4 51=w4 52=w4"],
    420: ["1=2 2=2 10={40={}} 10={30={}} 10={30={}} 20={\(gates)}"],
    430: [
      "1=2 2=2 10={40={}} 10={30={}} 10={30={}} 11={40={}} 11={30={}} 11={30={}} 15={10=1} "
        + "20={\(gates)} 20={\(gates)}"
    ],
    500: ["10='Custom'"],
  ]

  /// The weights of a recurrent layer.
  private static let gates = "1=w4 2=w4 3=w4 4=w4 20=w4 21=w4 22=w4 23=w4"

  /// Layers of versions 4 and 5, which work along any axis.
  private static let arrays: [Int: [String]] = [
    600: [], 605: ["1={}"], 615: ["1=2 4={}"], 635: ["1=4.0 3=1.0"], 640: ["3=1.0"],
    660: ["1=-1.0 2=1.0"], 795: ["1=1", "1=2"], 815: ["1=1.0"], 825: ["2=1.0"], 850: [],
    880: [], 890: [], 920: ["1=[2]", "1=[1,2]", "1=[1,1,2,1,1]"],
    925: ["1=-1"], 930: ["1=-1"], 935: ["1=-1 2=1"], 940: [], 945: ["1=1"],
    950: ["1=-1", "1=4"], 952: ["1=-1"], 954: ["1=-1"],
    960: ["1=[1]", "1=[1,0]", "1=[0,1,1]", "1=[0,0,0,1,1]"], 965: ["2=1"],
    975: ["1=-1 2=2", "3=[1,1]"], 980: ["1=-1", "2=1"],
    985: ["1=[0]", "1=[1,0]", "1=[0,2,1]", "1=[0,1,3,2]", "1=[4,3,2,1,0]"],
    995: [
      "1=[0] 3=[1] 5=[1]", "1=[0,1] 3=[1,0] 4=[0,1] 5=[1,1] 6=[1,0]",
      "1=[0,0,0] 3=[2,2,2] 5=[1,1,2]", "1=[1] 3=[2] 5=[1] 6=[1]",
    ],
    1000: ["3=[1] 5=[1]"], 1005: ["2=1 3=1"], 1015: ["2=1", "1=-1 2=2 3=1"],
    1020: ["1=-1 2=1"], 1025: ["1=-1"], 1040: ["1=2 2=3 20=w6"],
    1045: ["5=2 6=3 8=w6", "1=1", "2=1"], 1065: [],
    1070: ["1=[2,2] 2=w4", "1=[1,1,1,1,1,2] 2=w2", "2=w1"], 1080: ["1=2.0"],
    1085: ["1=1.0 2=[2,2]"], 1090: ["1=1.0"], 1100: [], 1105: ["1=[2]", "1=[1,2,2,2,2]"],
    1110: [], 1120: ["1=[0]", "2=1"], 1125: ["1=[0]", "1=[-1,0]"], 1130: ["1=1", "1=-1"],
    1135: [], 1140: ["1=[-1]", "1=[2,-1]", "1=[1,1,1,1,-1]"], 1145: [],
    1150: ["1=[0]", "1=[-1,0]", "1=[0,-1,2]"],
    1155: ["2=[1,1]", "2=[0,0,1,1]", "2=[0,0,1,1,1,0]"], 1170: [], 1230: [],
    1250: ["1=[0]", "1=[-1] 2=1", "3=1"], 1295: ["1=[0]", "3=1 2=1"], 1313: [],
    1315: ["1=1"], 1320: ["1=1"], 1330: [], 1350: ["1=[2] 2=0.5 3=w2 4=w2"], 1400: [],
    1450: ["1=3 3=1.0", "1=2 2=-1 3=1.0"], 1455: ["1=-1 2=1"], 1460: ["1=0.5 2=6.0"],
    1461: ["2=1"], 1465: ["2=1 3=1 4=1 5=1 6=1 7=1 15=1"], 1466: ["1=1"], 1470: ["2=1"],
    1471: ["1=2 2=2 10=1 20=1 21=1 22=1 31=1 32=1 33=1 40=1 41=1 42=1 60=w4 70=1"],
  ]
}

# SPDX-License-Identifier: BSD-3-Clause
# HYB_FIND_JANSSON, HYB_FIND_PROTOBUF_C, HYB_FIND_MICROHTTPD, HYB_FIND_ZSTD: define the conditionals HAVE_JANSSON,
# HAVE_PROTOBUF_C, HAVE_MICROHTTPD and HAVE_ZSTD, the libraries to link with and, for protobuf-c, the compiler of its
# messages. Only programs that read recordings use them.
AC_DEFUN([HYB_FIND_JANSSON], [
	AC_ARG_WITH([jansson], [AS_HELP_STRING([--with-jansson=DIR],
		[where jansson is installed; "no" does without it, and hybmon-merge writes no JSON
		(default: yes, if it is there)])], [], [with_jansson=$hyb_default])
	JANSSON_CPPFLAGS= JANSSON_LIBS=
	hyb_save_CPPFLAGS=$CPPFLAGS hyb_save_LIBS=$LIBS hyb_where=
	AS_CASE([$with_jansson],
		[yes|no|check|''], [],
		[JANSSON_CPPFLAGS="-I$with_jansson/include"
		hyb_where="-L$with_jansson/lib "])
	AS_IF([test "$with_jansson" != no], [
		CPPFLAGS="$CPPFLAGS $JANSSON_CPPFLAGS" LIBS="${hyb_where}-ljansson $LIBS"
		AC_MSG_CHECKING([for jansson 2.11 or later])
		AC_LINK_IFELSE([AC_LANG_PROGRAM([[
			#include <jansson.h>
			#if JANSSON_VERSION_HEX < 0x020b00
			#error
			#endif]], [[json_decref(json_object());]])],
			[JANSSON_LIBS="${hyb_where}-ljansson"
			AC_MSG_RESULT([yes])],
			[AC_MSG_RESULT([no])
			AS_IF([test "$with_jansson" != check],
				[AC_MSG_ERROR([--with-jansson: it does not work; see config.log])])])
	])
	CPPFLAGS=$hyb_save_CPPFLAGS LIBS=$hyb_save_LIBS
	AC_SUBST([JANSSON_CPPFLAGS])
	AC_SUBST([JANSSON_LIBS])
	AM_CONDITIONAL([HAVE_JANSSON], [test -n "$JANSSON_LIBS"])
	HYB_HAVE([JANSSON], [$JANSSON_LIBS])
])

AC_DEFUN([HYB_FIND_PROTOBUF_C], [
	AC_ARG_WITH([protobuf-c], [AS_HELP_STRING([--with-protobuf-c=DIR],
		[where protobuf-c is installed, with protoc-c; "no" does without it, and hybmon-merge writes nothing for
		Perfetto (default: yes, if it is there)])], [], [with_protobuf_c=$hyb_default])
	AC_ARG_VAR([PROTOC_C], [makes C of the messages that hybmon-merge writes for Perfetto])
	PROTOBUF_C_CPPFLAGS= PROTOBUF_C_LIBS=
	hyb_save_CPPFLAGS=$CPPFLAGS hyb_save_LIBS=$LIBS hyb_where= hyb_path=$PATH
	AS_CASE([$with_protobuf_c],
		[yes|no|check|''], [],
		[PROTOBUF_C_CPPFLAGS="-I$with_protobuf_c/include"
		hyb_where="-L$with_protobuf_c/lib "
		hyb_path="$with_protobuf_c/bin:$PATH"])
	AS_IF([test "$with_protobuf_c" != no], [
		AC_PATH_PROG([PROTOC_C], [protoc-c], [], [$hyb_path])
		CPPFLAGS="$CPPFLAGS $PROTOBUF_C_CPPFLAGS" LIBS="${hyb_where}-lprotobuf-c $LIBS"
		AC_MSG_CHECKING([for protobuf-c])
		AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <protobuf-c/protobuf-c.h>]],
			[[return !*protobuf_c_version();]])],
			[AS_IF([test -n "$PROTOC_C"], [PROTOBUF_C_LIBS="${hyb_where}-lprotobuf-c"])])
		AS_IF([test -n "$PROTOBUF_C_LIBS"], [AC_MSG_RESULT([yes])],
			[AC_MSG_RESULT([no])
			AS_IF([test "$with_protobuf_c" != check],
				[AC_MSG_ERROR([--with-protobuf-c: it does not work, or there is no protoc-c; see config.log])])])
	])
	CPPFLAGS=$hyb_save_CPPFLAGS LIBS=$hyb_save_LIBS
	AC_SUBST([PROTOBUF_C_CPPFLAGS])
	AC_SUBST([PROTOBUF_C_LIBS])
	AM_CONDITIONAL([HAVE_PROTOBUF_C], [test -n "$PROTOBUF_C_LIBS"])
	HYB_HAVE([PROTOBUF_C], [$PROTOBUF_C_LIBS])
])

AC_DEFUN([HYB_FIND_MICROHTTPD], [
	AC_ARG_WITH([microhttpd], [AS_HELP_STRING([--with-microhttpd=DIR],
		[where libmicrohttpd is installed; "no" does without it, and hybmon view writes pages but serves none
		(default: yes, if it is there)])], [], [with_microhttpd=$hyb_default])
	MICROHTTPD_CPPFLAGS= MICROHTTPD_LIBS=
	hyb_save_CPPFLAGS=$CPPFLAGS hyb_save_LIBS=$LIBS hyb_where=
	AS_CASE([$with_microhttpd],
		[yes|no|check|''], [],
		[MICROHTTPD_CPPFLAGS="-I$with_microhttpd/include"
		hyb_where="-L$with_microhttpd/lib "])
	AS_IF([test "$with_microhttpd" != no], [
		CPPFLAGS="$CPPFLAGS $MICROHTTPD_CPPFLAGS" LIBS="${hyb_where}-lmicrohttpd $LIBS"
		AC_MSG_CHECKING([for libmicrohttpd 0.9.71 or later])
		AC_LINK_IFELSE([AC_LANG_PROGRAM([[
			#include <microhttpd.h>
			#if MHD_VERSION < 0x00097100
			#error
			#endif]], [[enum MHD_Result ret = MHD_NO; MHD_stop_daemon(0); return (int)ret;]])],
			[MICROHTTPD_LIBS="${hyb_where}-lmicrohttpd"
			AC_MSG_RESULT([yes])],
			[AC_MSG_RESULT([no])
			AS_IF([test "$with_microhttpd" != check],
				[AC_MSG_ERROR([--with-microhttpd: it does not work; see config.log])])])
	])
	CPPFLAGS=$hyb_save_CPPFLAGS LIBS=$hyb_save_LIBS
	AC_SUBST([MICROHTTPD_CPPFLAGS])
	AC_SUBST([MICROHTTPD_LIBS])
	AM_CONDITIONAL([HAVE_MICROHTTPD], [test -n "$MICROHTTPD_LIBS"])
	HYB_HAVE([MICROHTTPD], [$MICROHTTPD_LIBS])
])

# What hybmon view packs is compressed with it.
AC_DEFUN([HYB_FIND_ZSTD], [
	AC_ARG_WITH([zstd], [AS_HELP_STRING([--with-zstd=DIR],
		[where libzstd is installed; "no" does without it, and hybmon view needs more space on disk
		(default: yes, if it is there)])], [], [with_zstd=$hyb_default])
	ZSTD_CPPFLAGS= ZSTD_LIBS=
	hyb_save_CPPFLAGS=$CPPFLAGS hyb_save_LIBS=$LIBS hyb_where=
	AS_CASE([$with_zstd],
		[yes|no|check|''], [],
		[ZSTD_CPPFLAGS="-I$with_zstd/include"
		hyb_where="-L$with_zstd/lib "])
	AS_IF([test "$with_zstd" != no], [
		CPPFLAGS="$CPPFLAGS $ZSTD_CPPFLAGS" LIBS="${hyb_where}-lzstd $LIBS"
		AC_MSG_CHECKING([for libzstd 1.3 or later])
		AC_LINK_IFELSE([AC_LANG_PROGRAM([[
			#include <zstd.h>
			#if ZSTD_VERSION_NUMBER < 10300
			#error
			#endif]], [[return (int)ZSTD_freeCCtx(ZSTD_createCCtx());]])],
			[ZSTD_LIBS="${hyb_where}-lzstd"
			AC_MSG_RESULT([yes])],
			[AC_MSG_RESULT([no])
			AS_IF([test "$with_zstd" != check],
				[AC_MSG_ERROR([--with-zstd: it does not work; see config.log])])])
	])
	CPPFLAGS=$hyb_save_CPPFLAGS LIBS=$hyb_save_LIBS
	AC_SUBST([ZSTD_CPPFLAGS])
	AC_SUBST([ZSTD_LIBS])
	AM_CONDITIONAL([HAVE_ZSTD], [test -n "$ZSTD_LIBS"])
	HYB_HAVE([ZSTD], [$ZSTD_LIBS])
])
